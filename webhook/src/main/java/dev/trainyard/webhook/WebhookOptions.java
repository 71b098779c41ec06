package dev.trainyard.webhook;

import dev.trainyard.core.Names;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the webhook runs.
 *
 * @param host to listen on
 * @param port 0 chooses a free one
 * @param tlsDirectory CA and certificate, made when it is empty
 * @param serverNames DNS names and addresses that callers use, besides {@code host} when that is one; the first is also used to call
 *     oneself
 * @param kubeconfig null: the cluster this runs in, or what kubectl would use
 * @param resources file or directory with pools, tiers and namespaces; null: those of the cluster, watched
 * @param webhookConfiguration MutatingWebhookConfiguration to keep our CA in; null: none
 * @param operationsHost to serve probes and metrics on
 * @param operationsPort 0 chooses a free one
 * @param namespace where Trainyard itself runs; its pods are left alone
 */
public record WebhookOptions(
        String host,
        int port,
        Path tlsDirectory,
        List<String> serverNames,
        @Nullable Path kubeconfig,
        @Nullable Path resources,
        @Nullable String webhookConfiguration,
        String operationsHost,
        int operationsPort,
        String namespace) {

    public WebhookOptions {
        serverNames = List.copyOf(serverNames);
    }

    /** A webhook on loopback, ports chosen, that reads pools and tiers from the cluster and registers nothing. */
    public static WebhookOptions onLoopback(Path tlsDirectory) {
        return new WebhookOptions(
                "127.0.0.1", 0, tlsDirectory, List.of(), null, null, null, "127.0.0.1", 0, Names.NAMESPACE);
    }

    public WebhookOptions withServerNames(List<String> names) {
        return new WebhookOptions(
                host,
                port,
                tlsDirectory,
                names,
                kubeconfig,
                resources,
                webhookConfiguration,
                operationsHost,
                operationsPort,
                namespace);
    }

    public WebhookOptions withKubeconfig(@Nullable Path file) {
        return new WebhookOptions(
                host,
                port,
                tlsDirectory,
                serverNames,
                file,
                resources,
                webhookConfiguration,
                operationsHost,
                operationsPort,
                namespace);
    }

    public WebhookOptions withResources(@Nullable Path fileOrDirectory) {
        return new WebhookOptions(
                host,
                port,
                tlsDirectory,
                serverNames,
                kubeconfig,
                fileOrDirectory,
                webhookConfiguration,
                operationsHost,
                operationsPort,
                namespace);
    }

    public WebhookOptions withWebhookConfiguration(@Nullable String name) {
        return new WebhookOptions(
                host,
                port,
                tlsDirectory,
                serverNames,
                kubeconfig,
                resources,
                name,
                operationsHost,
                operationsPort,
                namespace);
    }

    /** Whether an API server is needed at all. */
    boolean needsCluster() {
        return resources == null || webhookConfiguration != null;
    }
}
