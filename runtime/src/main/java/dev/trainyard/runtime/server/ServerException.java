package dev.trainyard.runtime.server;

/** A server could not start or stop. The message is meant for the user. */
public final class ServerException extends RuntimeException {
    public ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
