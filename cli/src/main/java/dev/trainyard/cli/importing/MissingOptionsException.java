package dev.trainyard.cli.importing;

/** An error of an import that lacks options. The message names them all, the reasons for them, and where to find their values. */
public final class MissingOptionsException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    MissingOptionsException(String message) {
        super(message);
    }
}
