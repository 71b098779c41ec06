package dev.trainyard.bench.process;

/** A failure of a benchmark, for example because a server does not start or does not answer correctly. The message is for the user. */
public final class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
