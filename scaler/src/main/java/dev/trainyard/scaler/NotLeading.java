package dev.trainyard.scaler;

/** Nothing was changed, since another scaler may lead by now. */
public final class NotLeading extends RuntimeException {

    private static final long serialVersionUID = 1;

    NotLeading(String message) {
        super(message);
    }
}
