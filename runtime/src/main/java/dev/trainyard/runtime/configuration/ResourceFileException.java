package dev.trainyard.runtime.configuration;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** A resource file that cannot be used. The message is for the user: it names file, document, object, field and what was expected. */
public final class ResourceFileException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public ResourceFileException(String message) {
        super(message);
    }

    public ResourceFileException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns why a file cannot be read. The result does not start with the name of the file, unlike most messages of the file system. */
    public static String why(IOException problem) {
        if (problem instanceof NoSuchFileException || problem instanceof FileNotFoundException) {
            return "there is no such file";
        }
        if (problem instanceof AccessDeniedException) {
            return "cannot be read: permission denied";
        }
        var reason = problem instanceof FileSystemException ofFile ? ofFile.getReason() : null;
        return "cannot be read: " + (reason == null ? problem.getMessage() : reason);
    }
}
