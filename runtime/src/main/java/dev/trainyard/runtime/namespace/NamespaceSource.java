package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import java.util.Optional;

/** A source of namespaces. Thread-safe. */
public interface NamespaceSource extends AutoCloseable {

    /**
     * Returns the facts about a namespace; empty if the namespace is not known (yet). An empty result does not mean that the namespace has
     * no annotations and labels. The call costs one map lookup, so it is cheap enough for every request.
     */
    Optional<NamespaceFacts> facts(String namespace);

    /** Whether all namespaces are known: false until all namespaces have been read once, and while changes of namespaces do not arrive. */
    boolean isComplete();

    @Override
    void close();
}
