package dev.trainyard.simulation.api;

/** The API server refused a request, or did not answer it. */
public final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The object is not there. */
    public static final int NOT_FOUND = 404;
    /** The object is there already, or is not any more what the request was decided on. */
    public static final int CONFLICT = 409;
    /** Too many requests; for an eviction: a disruption budget does not allow it now. */
    public static final int TOO_MANY = 429;
    /** The server has a problem of its own. */
    public static final int UNAVAILABLE = 503;

    private final int status;

    public ApiException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** As HTTP has it. */
    public int status() {
        return status;
    }
}
