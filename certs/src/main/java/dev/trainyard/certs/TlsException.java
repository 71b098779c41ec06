package dev.trainyard.certs;

/**
 * A problem with certificates or keys. The message is for the user: it names the file or the field, the problem and the remedy, so no stack
 * trace is needed.
 */
public final class TlsException extends RuntimeException {
    public TlsException(String message) {
        super(message);
    }

    public TlsException(String message, Throwable cause) {
        super(message, cause);
    }
}
