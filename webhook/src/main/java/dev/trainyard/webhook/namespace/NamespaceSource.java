package dev.trainyard.webhook.namespace;

/** Where namespaces are known from. Thread-safe. */
public interface NamespaceSource extends AutoCloseable {

    /** Costs a map look-up: fit for a request path. {@link NamespaceFacts#NONE} for a namespace that is not known. */
    NamespaceFacts facts(String namespace);

    /** False until all namespaces were seen once. */
    boolean isComplete();

    @Override
    void close();
}
