package dev.trainyard.scaler.calls;

/** Something was not done, since another scaler may lead by now: the round that wanted it is over. */
public final class NotLeading extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NotLeading(String message) {
        super(message);
    }
}
