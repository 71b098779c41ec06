package dev.trainyard.simulation.api;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** The API server refused a request, or did not answer it: as the client throws it that the scaler has in a cluster. */
public final class ApiException extends KubernetesClientException {

    private static final long serialVersionUID = 1;

    /** The object is not there. */
    public static final int NOT_FOUND = 404;
    /** The object is there already, or is not any more what the request was decided on. */
    public static final int CONFLICT = 409;
    /** Too many requests; for an eviction: a disruption budget does not allow it now. */
    public static final int TOO_MANY = 429;
    /** The server has a problem of its own. */
    public static final int UNAVAILABLE = 503;

    /** @param status as HTTP has it */
    public ApiException(int status, String message) {
        super(message, status, null);
    }
}
