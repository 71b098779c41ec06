package dev.trainyard.workshop.demo;

/**
 * An error in a scenario: an expected event did not happen. The message names the event, the actual state, and the components that are not
 * running.
 */
final class ExpectationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ExpectationException(String message) {
        super(message);
    }
}
