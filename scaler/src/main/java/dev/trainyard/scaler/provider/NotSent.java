package dev.trainyard.scaler.provider;

/** A request was not sent to its cloud, since another scaler may lead by now. Proves nothing about the pool, and is not retried. */
public final class NotSent extends ProviderException {

    private static final long serialVersionUID = 1;

    public NotSent(String words) {
        super(FailureKind.CONFLICT, words);
    }
}
