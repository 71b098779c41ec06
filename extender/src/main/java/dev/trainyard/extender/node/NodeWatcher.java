package dev.trainyard.extender.node;

/** Is told of nodes whose state has changed. Must return at once, and must not ask the index. */
@FunctionalInterface
public interface NodeWatcher {

    void changed(String node, NodeState before, NodeState after);
}
