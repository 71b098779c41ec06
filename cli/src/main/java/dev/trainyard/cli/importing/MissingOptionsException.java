package dev.trainyard.cli.importing;

/** An error of an import that lacks options. The message names all missing options, why each is needed, and where to find its value. */
public final class MissingOptionsException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    MissingOptionsException(String message) {
        super(message);
    }
}
