package dev.trainyard.extender.pod;

/**
 * A listener for pods. Calls come one at a time, in the order of the index's events. The listener must return at once, and must not call
 * the index.
 */
public interface PodWatcher {

    /** Receives a pod that is new or has changed. */
    void seen(PodFacts pod);

    /** Receives a pod that was removed or has become unreadable. */
    void gone(PodFacts last);
}
