package dev.trainyard.webhook;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.webhook.pod.GpuNames;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the webhook runs.
 *
 * @param listen where AdmissionReviews are answered
 * @param tls where CA and certificate are
 * @param serverNames DNS names and addresses that callers use, besides the host of {@code listen} when that is one; the first is also
 *     used to call oneself
 * @param kubeconfig null: the cluster this runs in, or what kubectl would use
 * @param resources file or directory with pools, tiers and namespaces; null: those of the cluster, watched
 * @param webhookConfiguration MutatingWebhookConfiguration to keep our CA in; null: none
 * @param operations where probes and metrics are served; null: nowhere
 * @param namespace where Trainyard itself runs; its pods are left alone
 * @param gpuNames the names by which pods ask for GPUs
 */
public record WebhookOptions(
        ListenAddress listen,
        TlsSource tls,
        List<String> serverNames,
        @Nullable Path kubeconfig,
        @Nullable Path resources,
        @Nullable String webhookConfiguration,
        @Nullable ListenAddress operations,
        String namespace,
        GpuNames gpuNames) {

    public WebhookOptions {
        serverNames = List.copyOf(serverNames);
    }

    /** A webhook on loopback, ports chosen, that reads pools and tiers from the cluster and registers nothing. */
    public static WebhookOptions onLoopback(Path tlsDirectory) {
        var anywhere = new ListenAddress("127.0.0.1", 0);
        return new WebhookOptions(
                anywhere,
                TlsSource.directory(tlsDirectory),
                List.of(),
                null,
                null,
                null,
                anywhere,
                Names.NAMESPACE,
                GpuNames.DEFAULT);
    }

    public WebhookOptions withTlsFrom(TlsSource source) {
        return new WebhookOptions(
                listen,
                source,
                serverNames,
                kubeconfig,
                resources,
                webhookConfiguration,
                operations,
                namespace,
                gpuNames);
    }

    public WebhookOptions withServerNames(List<String> names) {
        return new WebhookOptions(
                listen, tls, names, kubeconfig, resources, webhookConfiguration, operations, namespace, gpuNames);
    }

    public WebhookOptions withKubeconfig(@Nullable Path file) {
        return new WebhookOptions(
                listen, tls, serverNames, file, resources, webhookConfiguration, operations, namespace, gpuNames);
    }

    public WebhookOptions withResources(@Nullable Path fileOrDirectory) {
        return new WebhookOptions(
                listen,
                tls,
                serverNames,
                kubeconfig,
                fileOrDirectory,
                webhookConfiguration,
                operations,
                namespace,
                gpuNames);
    }

    public WebhookOptions withWebhookConfiguration(@Nullable String name) {
        return new WebhookOptions(
                listen, tls, serverNames, kubeconfig, resources, name, operations, namespace, gpuNames);
    }

    /** Whether an API server is needed at all. */
    boolean needsCluster() {
        return resources == null || webhookConfiguration != null || tls instanceof TlsSource.InSecret;
    }
}
