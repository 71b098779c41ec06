package dev.trainyard.extender.wire;

/** Signals a request that does not have the scheduler's form. The message states the problem in one line. */
public final class MalformedRequestException extends Exception {

    private static final long serialVersionUID = 1;

    public MalformedRequestException(String message) {
        super(message.lines().findFirst().orElse("malformed request"));
    }
}
