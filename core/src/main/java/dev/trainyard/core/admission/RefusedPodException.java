package dev.trainyard.core.admission;

/** The pod's author asks for something that cannot be. The message is for them: where, which value, what is expected. */
public final class RefusedPodException extends Exception {

    private static final long serialVersionUID = 1;

    public RefusedPodException(String message) {
        super(UserText.printable(message)); // it goes into Events and logs, and may repeat what the author wrote
    }
}
