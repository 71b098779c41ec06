package dev.trainyard.workshop.demo;

/** Something that should have happened and did not. The message says what, how it is instead, and which part is missing. */
final class Unmet extends RuntimeException {

    private static final long serialVersionUID = 1;

    Unmet(String message) {
        super(message);
    }
}
