package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.SnapshotFixture;
import java.util.List;
import java.util.stream.Collectors;

/** Queries about plans, for tests. */
public final class Plans {

    private Plans() {}

    public static Plan plan(SnapshotFixture testCluster) {
        return Planner.plan(testCluster.snapshot());
    }

    /** Returns the growths, such as {@code light-spot 0->3, other 1->2}. */
    public static String grown(Plan plan) {
        return plan.growths().stream()
                .map(growth -> growth.pool().name() + " " + growth.from() + "->" + growth.to())
                .collect(Collectors.joining(", "));
    }

    /** Returns the reasons why pods have no place, in any order. */
    public static List<String> unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(outcome -> outcome instanceof Outcome.Unplaced)
                .map(Outcome::message)
                .toList();
    }

    /** Returns the outcome of a pod from {@link dev.trainyard.scaler.Objects#waiting}. */
    public static Outcome of(Plan plan, String pod) {
        return plan.outcomes().get("uid-" + pod);
    }
}
