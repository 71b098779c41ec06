package dev.trainyard.local.testing;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A namespace for one test. {@link #close()} starts the deletion of the namespace, and does not wait for its end. */
record TestNamespace(KubernetesClient client, Namespace namespace) implements AutoCloseable {

    /** Creates a namespace. Returns when the namespace has its default ServiceAccount, which pods need. */
    static TestNamespace create(KubernetesClient client) {
        Namespace namespace = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName("test-")
                        .endMetadata()
                        .build())
                .create();
        client.serviceAccounts()
                .inNamespace(namespace.getMetadata().getName())
                .withName("default")
                .waitUntilCondition(Objects::nonNull, 30, TimeUnit.SECONDS);
        return new TestNamespace(client, namespace);
    }

    @Override
    public void close() {
        try {
            client.resource(namespace).delete();
        } catch (KubernetesClientException e) {
            System.err.println(
                    "cannot delete namespace " + namespace.getMetadata().getName() + ": " + e.getMessage());
        }
    }
}
