package dev.trainyard.scaler.provider;

/**
 * An exception for a request that was not sent to its cloud, since another scaler may lead by now. The exception proves nothing about the
 * pool, and the request is not retried.
 */
public final class NotSent extends ProviderException {

    private static final long serialVersionUID = 1;

    public NotSent(String words) {
        super(FailureKind.CONFLICT, words);
    }
}
