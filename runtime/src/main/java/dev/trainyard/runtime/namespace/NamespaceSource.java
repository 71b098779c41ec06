package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import java.util.Optional;

/** A source of namespaces. Thread-safe. */
public interface NamespaceSource extends AutoCloseable {

    /**
     * Returns the facts about a namespace; empty if the namespace is not known (yet). For a known namespace without annotations and labels,
     * the result holds {@link NamespaceFacts#NONE}. The call costs one map lookup, so it is cheap enough for every request.
     */
    Optional<NamespaceFacts> facts(String namespace);

    /**
     * Whether all namespaces are known: false until all namespaces have been read once, and while the source cannot receive changes of
     * namespaces.
     */
    boolean isComplete();

    @Override
    void close();
}
