package dev.trainyard.simulation.cluster;

import dev.trainyard.scaler.Herald;
import dev.trainyard.scaler.Round;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.cloud.Witness;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Optional;

/** What goes wrong in a {@link World}, and who looks on. */
public interface Disturbance extends Witness {

    /** Nothing goes wrong. */
    Disturbance NONE = new Disturbance() {};

    /** Whether a part of Trainyard is not there. Without the extender a scheduler goes by its own rules, as ours is told to. */
    default boolean lacks(Component component) {
        return false;
    }

    /** Why the scheduler places a pod on no node, in words, by a rule that Trainyard does not know. */
    default Optional<String> refuses(Pod pod) {
        return Optional.empty();
    }

    /** Hears what the scaler tells of objects. */
    default Herald herald() {
        return (about, type, reason, action, message) -> {};
    }

    /** Processes of the scaler that stand for election; 0: there is one, which needs none. */
    default int replicas() {
        return 0;
    }

    /** What goes wrong with the requests of a process. */
    default Interference interference(Replica replica) {
        return Interference.NONE;
    }

    /** How late watches tell the scaler. */
    default Lag lag() {
        return Lag.USUAL;
    }

    /** From the end of a process to the start of the one in its place. */
    default Duration restart() {
        return Duration.ofSeconds(5);
    }

    /** A round ended. */
    default void ended(Round.Result round) {}

    /** A round failed, or a step of one, and not because the API server refused something: what is wrong is in the scaler, or in what it read. */
    default void failed(RuntimeException problem) {}
}
