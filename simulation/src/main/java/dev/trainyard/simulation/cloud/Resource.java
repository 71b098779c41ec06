package dev.trainyard.simulation.cloud;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.simulation.time.Moment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** What there is in the cloud of one pool. */
final class Resource {

    /** A machine. */
    static final class Made {
        final String id;
        final Moment since;
        /** Whether it was the cloud or a person that wanted it, and no call. */
        final boolean uncalled;

        Machine.State state = Machine.State.CREATING;

        Made(String id, Moment since, boolean uncalled) {
            this.id = id;
            this.since = since;
            this.uncalled = uncalled;
        }
    }

    final TreeMap<String, Made> machines = new TreeMap<>();
    /** What lists show of them, which may be behind. */
    final TreeMap<String, Made> listed = new TreeMap<>();

    final List<Failure> failures = new ArrayList<>();
    final TokenBucket calls;
    int target;
    int made;
    boolean triesAgain;
    /** Whether the cloud makes one machine after the other, and the next one later. */
    boolean makesNextLater;
    /** When each of the machines was asked for that calls asked for and that do not run yet, the first one first. */
    final ArrayDeque<Moment> asked = new ArrayDeque<>();
    /** Machines that are not there, and of which the cloud has said that it has none. */
    int lacking;
    /** Machines that are not there, and that nobody called for. */
    int uncalled;
    /** How often there was nothing left that could fail. */
    int shortagesOver;

    Resource(TokenBucket calls) {
        this.calls = calls;
    }

    /** When the first of these was asked for. */
    Optional<Moment> firstAsked() {
        return Optional.ofNullable(asked.peekFirst());
    }

    /** Those that are owed no more were asked for last. */
    private void settleAsked() {
        while (asked.size() > Math.max(0, promised() - running())) {
            asked.removeLast();
        }
    }

    int running() {
        return (int) machines.values().stream()
                .filter(machine -> machine.state == Machine.State.RUNNING)
                .count();
    }

    /** After the target fell, or machines were made. */
    void settle() {
        int gap = Math.max(0, target - counting());
        lacking = Math.min(lacking, gap);
        uncalled = Math.min(uncalled, gap - lacking);
        settleAsked();
        if (gap == 0) {
            shortagesOver++;
        }
    }

    /** Machines that are to run, or do. */
    int promised() {
        return target - lacking - uncalled;
    }

    int counting() {
        return (int) machines.values().stream()
                .filter(machine -> machine.state != Machine.State.DELETING)
                .count();
    }
}
