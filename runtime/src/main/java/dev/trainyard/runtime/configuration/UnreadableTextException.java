package dev.trainyard.runtime.configuration;

import java.io.IOException;

/** A text that is neither YAML nor JSON. The message states the problem, without the name of the file. */
final class UnreadableTextException extends IOException {

    private static final long serialVersionUID = 1;

    private final int line;

    /** @param line line of the problem, from 1; 0 if unknown */
    UnreadableTextException(int line, String message) {
        super(message);
        this.line = line;
    }

    /** Returns the line for messages: {@code ", line 3"}; empty if unknown. */
    String place() {
        return line > 0 ? ", line " + line : "";
    }
}
