package dev.trainyard.scaler.provider;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A failed call to a cloud. The message is usually the cloud's own text, cut if too long. */
public sealed class ProviderException extends Exception permits LostAnswer, NotSent {

    private static final long serialVersionUID = 1;

    private final FailureKind kind;
    private final @Nullable Duration retryAfter;

    public ProviderException(FailureKind kind, String message) {
        this(kind, message, null);
    }

    /** @param retryAfter how long the cloud asks to wait before a retry; null if unknown */
    public ProviderException(FailureKind kind, String message, @Nullable Duration retryAfter) {
        super(Failure.beginning(message));
        this.kind = kind;
        this.retryAfter = retryAfter;
    }

    public FailureKind kind() {
        return kind;
    }

    /** Returns how long the cloud asks to wait before a retry; empty if unknown. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Returns the message; never null, unlike {@link #getMessage}. */
    public String words() {
        return String.valueOf(getMessage());
    }
}
