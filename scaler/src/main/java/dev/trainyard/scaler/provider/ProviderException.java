package dev.trainyard.scaler.provider;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call to a cloud that failed. The message is in the cloud's own words, or what they begin with. */
public sealed class ProviderException extends Exception permits NotSent {

    private static final long serialVersionUID = 1;

    private final FailureKind kind;
    private final @Nullable Duration retryAfter;

    public ProviderException(FailureKind kind, String message) {
        this(kind, message, null);
    }

    /** @param retryAfter when the cloud says that it may be asked again; null when it does not say */
    public ProviderException(FailureKind kind, String message, @Nullable Duration retryAfter) {
        super(Failure.beginning(message));
        this.kind = kind;
        this.retryAfter = retryAfter;
    }

    public FailureKind kind() {
        return kind;
    }

    /** When the cloud says that it may be asked again; empty when it does not say. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Never null, unlike other exceptions' messages. */
    public String words() {
        return String.valueOf(getMessage());
    }
}
