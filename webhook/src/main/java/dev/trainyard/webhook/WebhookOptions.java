package dev.trainyard.webhook;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.webhook.pod.GpuNames;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of the webhook.
 *
 * @param listen address of the AdmissionReview endpoint
 * @param tls source of the CA and the certificate
 * @param serverNames DNS names and IP addresses that callers use. The host of {@code listen} is added, unless it is a wildcard address. The
 *     webhook calls itself by the first name
 * @param kubeconfig kubeconfig file; null to use kubectl's default kubeconfig or, if there is none, the cluster that the webhook runs in
 * @param resources file or directory with pools, tiers and namespaces; null to watch these objects in the cluster
 * @param webhookConfiguration name of the MutatingWebhookConfiguration into which the webhook writes its CA; null to write nothing
 * @param operations address of probes and metrics; null to serve neither
 * @param namespace Trainyard's own namespace, in which pods stay unchanged
 * @param gpuNames the resource names by which pods request GPUs
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

    /**
     * Returns options for a webhook on loopback with free ports. The webhook reads pools and tiers from the cluster, and writes its CA into
     * no object.
     */
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

    /** Whether these options need a connection to an API server. */
    boolean needsCluster() {
        return resources == null || webhookConfiguration != null || tls instanceof TlsSource.InSecret;
    }
}
