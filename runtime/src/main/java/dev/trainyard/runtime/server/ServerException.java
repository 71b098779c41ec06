package dev.trainyard.runtime.server;

/** A failure to start or stop a server. The message is for the user. */
public final class ServerException extends RuntimeException {
    public ServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
