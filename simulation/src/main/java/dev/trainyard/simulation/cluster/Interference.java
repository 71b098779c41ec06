package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;

/**
 * The faults of a scaler process's requests, and of its calls to clouds. The methods that run before or after a request or call may let
 * time pass. If such a method throws {@link Killed}, the process ends at that step.
 */
public interface Interference {

    /** No faults. */
    Interference NONE = new Interference() {};

    /** Signals that the process was killed. Extends {@link Error}, so that no handler of exceptions catches it. */
    final class Killed extends Error {
        private static final long serialVersionUID = 1;

        public Killed() {
            super("killed", null, false, false);
        }
    }

    /** Runs before a request to the API server. Throws a {@link RuntimeException} if the server does not execute the request. */
    default void beforeRequest(String request) {}

    /** Runs after a request to the API server. Throws a {@link RuntimeException} if the answer is lost. */
    default void afterRequest(String request) {}

    /** Runs before a pod is evicted. */
    default void evicts(PodOnNode pod) {}

    /** Runs before a node is deleted. */
    default void deletes(String node) {}

    /** Returns the delay before the thread of a cloud call starts. The process continues meanwhile. */
    default Duration absence() {
        return Duration.ZERO;
    }

    /** Runs before a call to a cloud. Throws if the cloud does not execute the call. */
    default void beforeCall(String call) throws ProviderException {}

    /** Runs after a call to a cloud. Throws if the answer is lost. */
    default void afterCall(String call) throws ProviderException {}
}
