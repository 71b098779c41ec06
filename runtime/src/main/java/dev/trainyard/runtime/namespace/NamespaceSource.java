package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import java.util.Optional;

/** A source of namespaces. Thread-safe. */
public interface NamespaceSource extends AutoCloseable {

    /**
     * Returns the facts about a namespace; empty if the namespace is not known (yet). That is not the same as a namespace without annotations and
     * labels. Costs one map lookup, so it is cheap enough for every request.
     */
    Optional<NamespaceFacts> facts(String namespace);

    /** Whether all namespaces are known: false until all have been read once, and while their changes do not arrive. */
    boolean isComplete();

    @Override
    void close();
}
