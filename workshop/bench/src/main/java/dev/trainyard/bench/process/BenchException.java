package dev.trainyard.bench.process;

/** A benchmark failed because a server did not start or did not answer correctly. The message is for the user. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
