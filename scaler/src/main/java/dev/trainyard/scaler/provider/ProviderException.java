package dev.trainyard.scaler.provider;

/** A call to a cloud that failed. The message is in the cloud's own words. */
public final class ProviderException extends Exception {

    private static final long serialVersionUID = 1;

    private final FailureKind kind;

    public ProviderException(FailureKind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public FailureKind kind() {
        return kind;
    }

    /** Never null, unlike other exceptions' messages. */
    public String words() {
        return String.valueOf(getMessage());
    }
}
