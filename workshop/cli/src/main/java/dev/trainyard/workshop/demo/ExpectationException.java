package dev.trainyard.workshop.demo;

/** An error because an expected event did not happen. The message names the event, the actual state, and missing components. */
final class ExpectationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ExpectationException(String message) {
        super(message);
    }
}
