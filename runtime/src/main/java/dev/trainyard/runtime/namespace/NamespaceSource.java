package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import java.util.Optional;

/** Where namespaces are known from. Thread-safe. */
public interface NamespaceSource extends AutoCloseable {

    /**
     * Costs a map look-up: fit for a request path. Empty for a namespace that is not known (yet), which is not one without annotations
     * and labels.
     */
    Optional<NamespaceFacts> facts(String namespace);

    /** False until all namespaces were seen once, and while changes of them are not heard of. */
    boolean isComplete();

    @Override
    void close();
}
