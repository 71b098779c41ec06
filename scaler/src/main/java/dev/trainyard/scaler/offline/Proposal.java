package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The actions that a round would take now, with their reasons. Its JSON is a public interface: members may be added, but none is removed.
 *
 * @param now the time of the proposal, in the format of RFC 3339
 * @param pools all pools, sorted by name
 * @param unplaced pods that would stay pending, sorted by namespace and name
 * @param remove nodes whose machines would be removed, sorted by name
 * @param placed pending pods that have or will have room, sorted by namespace and name
 * @param keep all other nodes, sorted by name
 * @param gangs the gangs of pending pods, sorted by name; absent if there are none
 * @param notes assumptions for facts that the files do not contain
 * @param problems problems with objects that could not be read, or were read only in part
 */
public record Proposal(
        String now,
        List<PoolChange> pools,
        List<UnplacedPod> unplaced,
        List<NodeChange> remove,
        List<PlacedPod> placed,
        List<NodeChange> keep,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Gang> gangs,
        List<String> notes,
        List<Problem> problems) {

    public Proposal {
        pools = List.copyOf(pools);
        unplaced = List.copyOf(unplaced);
        remove = List.copyOf(remove);
        placed = List.copyOf(placed);
        keep = List.copyOf(keep);
        gangs = List.copyOf(gangs);
        notes = List.copyOf(notes);
        problems = List.copyOf(problems);
    }

    /**
     * The change of a pool's size.
     *
     * @param current the number of machines that the cloud has been asked to keep
     * @param target the number of machines after the proposal, with the machines that would be requested and without the machines that
     *     would be removed
     */
    public record PoolChange(String name, int current, int target, String reason) {}

    /**
     * A pod that would stay pending.
     *
     * @param pod {@code namespace/name}
     */
    public record UnplacedPod(String pod, String reason) {}

    /**
     * A pending pod that has or will have room.
     *
     * @param pod {@code namespace/name}
     * @param node the node that has room; absent if the pod gets a machine that is provisioning or requested
     * @param pool the pool of the provisioning or requested machine; absent if a node has room
     */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record PlacedPod(String pod, String node, String pool, String reason) {}

    /**
     * A gang that has pending pods.
     *
     * @param gang {@code namespace/name}, or the kind, namespace and name of the object that describes the gang
     * @param size how many of its pods must run at the same time
     * @param pending how many of its pods are pending
     * @param source how the gang is known
     */
    public record Gang(String gang, int size, int pending, String source) {}

    /**
     * A node, and the decision on it.
     *
     * @param pool the pool of the node; empty if it has none
     * @param state one of the words in {@link dev.trainyard.scaler.lifecycle.NodeState}
     */
    public record NodeChange(String node, String pool, String state, String reason) {}

    /**
     * A problem with an object.
     *
     * @param object the kind and the name of the object
     * @param place the file, and the position in the file
     */
    public record Problem(String object, String place, String problem) {
        @Override
        public String toString() {
            return "%s: %s: %s".formatted(place, object, problem);
        }
    }
}
