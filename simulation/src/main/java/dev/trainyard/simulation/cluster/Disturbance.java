package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.cloud.CloudObserver;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Optional;

/** The faults to inject into a {@link World}, and an observer of the scaler and the clouds in it. */
public interface Disturbance extends CloudObserver {

    /** No faults. */
    Disturbance NONE = new Disturbance() {};

    /** Whether a component of Trainyard is missing. Without the extender the scheduler uses only its own rules. */
    default boolean lacks(SimulatedComponent component) {
        return false;
    }

    /** Returns why the scheduler refuses a pod on every node, by a rule that is unknown to Trainyard; empty if no such rule applies. */
    default Optional<String> refuses(Pod pod) {
        return Optional.empty();
    }

    /** Whether the node of a machine that has booted never joins. Called once for each machine. */
    default boolean neverJoins(String machine) {
        return false;
    }

    /** Returns the receiver of the scaler's Events. */
    default EventReporter eventReporter() {
        return (about, type, reason, action, message) -> {};
    }

    /** Returns how many scaler processes take part in the leader election; 0 for a single process without election. */
    default int replicas() {
        return 0;
    }

    /** Returns the faults of the requests of one process. */
    default Interference interference(Replica replica) {
        return Interference.NONE;
    }

    /** Returns the delay of the scaler's watches. */
    default Lag lag() {
        return Lag.USUAL;
    }

    /** Returns the time from the end of a process to the start of its successor. */
    default Duration restart() {
        return Duration.ofSeconds(5);
    }

    /** Reports the result of a round of the scaler. */
    default void ended(Round.Result round) {}

    /**
     * Reports that a round, or a step of a round, failed. Refusals of the API server are not reported. So the cause is in the scaler, or in
     * the objects that the scaler read.
     */
    default void failed(RuntimeException problem) {}
}
