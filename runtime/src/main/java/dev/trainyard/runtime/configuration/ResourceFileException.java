package dev.trainyard.runtime.configuration;

/** A resource file that cannot be used. The message is for the user: file, document, object, field and what was expected. */
public final class ResourceFileException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public ResourceFileException(String message) {
        super(message);
    }

    public ResourceFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
