package dev.trainyard.webhook.pod;

/** The pod's author asks for something that cannot be. The message is for them: where, which value, what is expected. */
public final class RefusedPodException extends Exception {

    private static final long serialVersionUID = 1;

    public RefusedPodException(String message) {
        super(message);
    }
}
