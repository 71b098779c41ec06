package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;

/**
 * What goes wrong with requests of a process of the scaler, and with its calls to clouds. What is told before or after one may let time pass,
 * and may throw {@link Killed}: the process ends at that very step.
 */
public interface Interference {

    /** Nothing goes wrong. */
    Interference NONE = new Interference() {};

    /** The process is gone. Not an exception, so that nothing handles it. */
    final class Killed extends Error {
        private static final long serialVersionUID = 1;

        public Killed() {
            super("killed", null, false, false);
        }
    }

    /** Before the API server does what it is asked to; throws a {@link RuntimeException} when it does not. */
    default void beforeRequest(String request) {}

    /** Afterwards; throws a {@link RuntimeException} when the answer is lost. */
    default void afterRequest(String request) {}

    /** Before a pod is asked to leave. */
    default void evicts(PodOnNode pod) {}

    /** Before a node is deleted. */
    default void deletes(String node) {}

    /** How long the thread that makes a call to a cloud is away, while the process goes on; none: it makes the call at once. */
    default Duration absence() {
        return Duration.ZERO;
    }

    /** Before a cloud does what it is asked to; throws when it does not. */
    default void beforeCall(String call) throws ProviderException {}

    /** Afterwards; throws when the answer is lost. */
    default void afterCall(String call) throws ProviderException {}
}
