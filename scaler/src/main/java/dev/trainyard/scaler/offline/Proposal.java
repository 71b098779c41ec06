package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What a round would do now, and why. Its JSON is an interface: members may be added, none is taken away.
 *
 * @param now the instant that it is reckoned for, RFC 3339
 * @param pools every pool, by name
 * @param unplaced pods that would stay waiting, by namespace and name
 * @param remove nodes whose machines would go, by name
 * @param placed pods that wait and for which there is, or will be, room, by namespace and name
 * @param keep all other nodes, by name
 * @param notes what was supposed where the files say nothing
 * @param problems objects that could not be read, or only in part
 */
public record Proposal(
        String now,
        List<PoolChange> pools,
        List<UnplacedPod> unplaced,
        List<NodeChange> remove,
        List<PlacedPod> placed,
        List<NodeChange> keep,
        List<String> notes,
        List<Problem> problems) {

    public Proposal {
        pools = List.copyOf(pools);
        unplaced = List.copyOf(unplaced);
        remove = List.copyOf(remove);
        placed = List.copyOf(placed);
        keep = List.copyOf(keep);
        notes = List.copyOf(notes);
        problems = List.copyOf(problems);
    }

    /**
     * What becomes of a pool.
     *
     * @param current machines that its cloud has been asked to keep
     * @param target the same when all of this has been done: with what is bought, without what is removed
     */
    public record PoolChange(String name, int current, int target, String reason) {}

    /**
     * A pod without a place.
     *
     * @param pod namespace and name, with a stroke between
     */
    public record UnplacedPod(String pod, String reason) {}

    /**
     * A pod that need not wait for long.
     *
     * @param pod namespace and name, with a stroke between
     * @param node that has room for it; absent when a machine is to come
     * @param pool of the machine that is to come; absent when there is a node
     */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record PlacedPod(String pod, String node, String pool, String reason) {}

    /**
     * A node and what it is to the scaler.
     *
     * @param pool empty when it is of none
     * @param state one of the words in {@link dev.trainyard.scaler.lifecycle.NodeState}
     */
    public record NodeChange(String node, String pool, String state, String reason) {}

    /**
     * Something wrong with an object.
     *
     * @param object kind and name
     * @param place the file, and where in it
     */
    public record Problem(String object, String place, String problem) {
        @Override
        public String toString() {
            return "%s: %s: %s".formatted(place, object, problem);
        }
    }
}
