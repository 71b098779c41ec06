package dev.trainyard.runtime.configuration;

import java.io.IOException;

/** A text that is neither YAML nor JSON. The message says what is wrong with it, without the name of the file. */
final class UnreadableTextException extends IOException {

    private static final long serialVersionUID = 1;

    private final int line;

    /** @param line where it is, from 1; 0 if unknown */
    UnreadableTextException(int line, String message) {
        super(message);
        this.line = line;
    }

    /** For messages: {@code ", line 3"}; empty if unknown. */
    String place() {
        return line > 0 ? ", line " + line : "";
    }
}
