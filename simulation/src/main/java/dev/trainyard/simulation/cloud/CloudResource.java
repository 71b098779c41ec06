package dev.trainyard.simulation.cloud;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.simulation.time.Moment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The cloud resource of one pool. */
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
    /** The machines that lists show, which may be stale. */
    final TreeMap<String, Made> listed = new TreeMap<>();

    final List<Failure> failures = new ArrayList<>();
    final TokenBucket calls;
    int target;
    int made;
    boolean triesAgain;
    /** Whether the cloud delivers machines one by one, and the next one later. */
    boolean makesNextLater;
    /** The request times of machines that calls requested and that do not run yet, the oldest first. */
    final ArrayDeque<Moment> asked = new ArrayDeque<>();
    /** The number of missing machines that the cloud has reported as unavailable. */
    int lacking;
    /** The number of missing machines that no call requested. */
    int unrequested;
    /** How often the target was met, so that no failure was left to report. */
    int shortagesOver;

    CloudResource(TokenBucket calls) {
        this.calls = calls;
    }

    /** Returns the request time of the first machine that does not run yet. */
    Optional<Moment> firstAsked() {
        return Optional.ofNullable(asked.peekFirst());
    }

    /** Drops the latest requests if fewer machines are missing than were requested. */
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

    /** Updates the counts after the target fell or machines were created. */
    void settle() {
        int gap = Math.max(0, target - counting());
        lacking = Math.min(lacking, gap);
        unrequested = Math.min(unrequested, gap - lacking);
        settleAsked();
        if (gap == 0) {
            shortagesOver++;
        }
    }

    /** Returns the number of machines that calls requested and that run or are still to come. */
    int promised() {
        return target - lacking - unrequested;
    }

    int counting() {
        return (int) machines.values().stream()
                .filter(machine -> machine.state != Machine.State.DELETING)
                .count();
    }
}
