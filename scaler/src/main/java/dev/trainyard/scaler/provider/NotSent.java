package dev.trainyard.scaler.provider;

/** An order did not go to its cloud, since another scaler may lead by now. It says nothing of the pool, and is not tried again. */
public final class NotSent extends ProviderException {

    private static final long serialVersionUID = 1;

    public NotSent(String words) {
        super(FailureKind.CONFLICT, words);
    }
}
