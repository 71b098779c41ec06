package dev.trainyard.workshop.cluster;

/** A part of Trainyard did not start. The message names it, says what it last wrote, and where its log is. */
public final class YardException extends RuntimeException {

    private static final long serialVersionUID = 1;

    YardException(String message) {
        super(message);
    }
}
