package dev.trainyard.simulation.cloud;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.simulation.time.Moment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The cloud resource of one pool: a scale set or an Auto Scaling group. */
final class CloudResource {

    /** A machine of the resource. */
    static final class Made {
        final String id;
        final Moment since;
        /** Whether the cloud or a person created the machine, without a call. */
        final boolean unrequested;

        Machine.State state = Machine.State.CREATING;

        Made(String id, Moment since, boolean unrequested) {
            this.id = id;
            this.since = since;
            this.unrequested = unrequested;
        }
    }

    final TreeMap<String, Made> machines = new TreeMap<>();
    /** The machines that the cloud's lists show. The lists may be stale. */
    final TreeMap<String, Made> listed = new TreeMap<>();

    final List<Failure> failures = new ArrayList<>();
    final TokenBucket calls;
    int target;
    int made;
    boolean triesAgain;
    /** Whether the cloud waits before it creates the next machine, because it delivers machines one by one. */
    boolean makesNextLater;
    /** The request time of each machine that a call requested and that does not run yet, the oldest first. */
    final ArrayDeque<Moment> asked = new ArrayDeque<>();
    /** The number of missing machines that the cloud has reported as unavailable. */
    int lacking;
    /** The number of missing machines that no call requested. */
    int unrequested;
    /** The number of times the target was met. A shortage from before such a time is not reported later. */
    int shortagesOver;

    CloudResource(TokenBucket calls) {
        this.calls = calls;
    }

    /** Returns the oldest request time in {@link #asked}; empty if there is none. */
    Optional<Moment> firstAsked() {
        return Optional.ofNullable(asked.peekFirst());
    }

    /** Drops the latest request times until each remaining one belongs to a requested machine that does not run yet. */
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

    /** Updates the counts after the target changed or machines were created. */
    void settle() {
        int gap = Math.max(0, target - counting());
        lacking = Math.min(lacking, gap);
        unrequested = Math.min(unrequested, gap - lacking);
        settleAsked();
        if (gap == 0) {
            shortagesOver++;
        }
    }

    /** Returns the target without the machines that are unavailable or that no call requested. */
    int promised() {
        return target - lacking - unrequested;
    }

    int counting() {
        return (int) machines.values().stream()
                .filter(machine -> machine.state != Machine.State.DELETING && machine.state != Machine.State.HELD)
                .count();
    }
}
