package dev.trainyard.scaler.calls;

/** An exception for an action that was not taken, since another scaler may lead by now. The current round stops. */
public final class NotLeading extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NotLeading(String message) {
        super(message);
    }
}
