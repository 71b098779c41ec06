package dev.trainyard.image;

/** The image cannot be built, for a reason that whoever builds it can do something about; the message says what. */
final class ImageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ImageException(String message) {
        super(message);
    }

    ImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
