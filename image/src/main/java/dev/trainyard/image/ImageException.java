package dev.trainyard.image;

/** An error that keeps the image from being built and that the user can fix. The message names the remedy. */
final class ImageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ImageException(String message) {
        super(message);
    }

    ImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
