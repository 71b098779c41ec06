package dev.trainyard.core.admission;

/**
 * An error in a pod that makes the webhook reject the pod. The message is for the pod's author: it names the field, the value and what was
 * expected.
 */
public final class RefusedPodException extends Exception {

    private static final long serialVersionUID = 1;

    public RefusedPodException(String message) {
        super(UserText.printable(message)); // the message quotes text of the pod's author, and reaches Events and logs
    }
}
