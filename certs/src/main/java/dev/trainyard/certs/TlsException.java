package dev.trainyard.certs;

/**
 * Certificates or keys cannot be used. The message is meant for the user: it names the file or the field, what is wrong
 * and what to do; no stack trace is needed to act on it.
 */
public final class TlsException extends RuntimeException {
    public TlsException(String message) {
        super(message);
    }

    public TlsException(String message, Throwable cause) {
        super(message, cause);
    }
}
