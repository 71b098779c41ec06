package dev.trainyard.workshop.cluster;

/** An error at the start of a component of Trainyard. The message names the component and its log file, and quotes the end of the log. */
public final class TestClusterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TestClusterException(String message) {
        super(message);
    }
}
