package dev.trainyard.local;

import dev.trainyard.local.process.SupervisedProcess;

/** A failure of a process of the control plane. The message ends with the last lines of the process's log. */
public final class ControlPlaneException extends RuntimeException {
    private static final int LOG_LINES = 15;

    ControlPlaneException(String message) {
        super(message);
    }

    ControlPlaneException(String message, Throwable cause) {
        super(message, cause);
    }

    static ControlPlaneException of(SupervisedProcess process, String problem) {
        StringBuilder message = new StringBuilder(
                process.name() + " " + problem + ". The last lines of its log, " + process.logFile() + ":");
        process.log().lines(LOG_LINES).forEach(line -> message.append("\n  ").append(line));
        return new ControlPlaneException(message.toString());
    }
}
