package dev.trainyard.cli.importing;

/** An import needs options that were not given; the message names all of them, why they are needed, and where to find their values. */
public final class MissingOptionsException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    MissingOptionsException(String message) {
        super(message);
    }
}
