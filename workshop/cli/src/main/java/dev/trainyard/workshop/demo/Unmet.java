package dev.trainyard.workshop.demo;

/** An error because an expected event did not happen. The message names the event, the actual state, and missing components. */
final class Unmet extends RuntimeException {

    private static final long serialVersionUID = 1;

    Unmet(String message) {
        super(message);
    }
}
