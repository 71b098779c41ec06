package dev.trainyard.simulation.api;

import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * Signals that the API server refused a request, or did not answer. Extends the exception of the Kubernetes client that the scaler uses in
 * production.
 */
public final class ApiException extends KubernetesClientException {

    private static final long serialVersionUID = 1;

    /** The object does not exist. */
    public static final int NOT_FOUND = 404;
    /** The object already exists, or has another version than the request expects. */
    public static final int CONFLICT = 409;
    /** Too many requests. For an eviction: a disruption budget does not allow the eviction now. */
    public static final int TOO_MANY = 429;
    /** The server has an internal problem. */
    public static final int UNAVAILABLE = 503;

    /** @param status the HTTP status code */
    public ApiException(int status, String message) {
        super(message, status, null);
    }
}
