package dev.trainyard.core.admission;

/** A request of a pod's author that is invalid. The message is for the author: it names the field, the value and what was expected. */
public final class RefusedPodException extends Exception {

    private static final long serialVersionUID = 1;

    public RefusedPodException(String message) {
        super(UserText.printable(message)); // the text of the author reaches Events and logs
    }
}
