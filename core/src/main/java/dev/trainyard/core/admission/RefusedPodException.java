package dev.trainyard.core.admission;

/**
 * An invalid request in a pod, for which the webhook rejects the pod. The message is for the pod's author: it names the field, the value
 * and what was expected.
 */
public final class RefusedPodException extends Exception {

    private static final long serialVersionUID = 1;

    public RefusedPodException(String message) {
        super(UserText.printable(message)); // the text of the author reaches Events and logs
    }
}
