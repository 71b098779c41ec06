package dev.trainyard.workshop.cluster;

/** An error because a component of Trainyard did not start. The message names the component, the end of its log, and its log file. */
public final class TestClusterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    TestClusterException(String message) {
        super(message);
    }
}
