package dev.trainyard.extender.pod;

/** Is told of pods, one at a time, in the order in which the index learns of them. Must return at once, and must not ask the index. */
public interface PodWatcher {

    /** The pod is there, or has changed. */
    void seen(PodFacts pod);

    /** The pod is gone, or has become unreadable. */
    void gone(PodFacts last);
}
