package dev.trainyard.webhook.patch;

/** A patch that must not be sent. The message says why. */
public final class UnprovedPatchException extends Exception {

    private static final long serialVersionUID = 1;

    UnprovedPatchException(String message) {
        super(message);
    }
}
