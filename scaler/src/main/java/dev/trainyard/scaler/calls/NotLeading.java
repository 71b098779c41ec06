package dev.trainyard.scaler.calls;

/** An action was not taken, since another scaler may lead by now. Its round is over. */
public final class NotLeading extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NotLeading(String message) {
        super(message);
    }
}
