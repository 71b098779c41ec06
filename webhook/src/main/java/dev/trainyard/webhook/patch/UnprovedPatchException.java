package dev.trainyard.webhook.patch;

/** Signals a patch that must not be sent. The message states why. */
public final class UnprovedPatchException extends Exception {

    private static final long serialVersionUID = 1;

    UnprovedPatchException(String message) {
        super(message);
    }
}
