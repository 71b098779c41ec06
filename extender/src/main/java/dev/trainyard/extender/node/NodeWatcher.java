package dev.trainyard.extender.node;

/** A listener for nodes whose state has changed. It must return at once, and must not call the index. */
@FunctionalInterface
public interface NodeWatcher {

    void changed(String node, IndexedState before, IndexedState after);
}
