package dev.trainyard.extender.wire;

/** A request that is not what the scheduler sends. The message is one line that says what is wrong with it. */
public final class MalformedRequestException extends Exception {

    private static final long serialVersionUID = 1;

    public MalformedRequestException(String message) {
        super(message.lines().findFirst().orElse("malformed request"));
    }
}
