package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.Yard;
import java.util.List;
import java.util.stream.Collectors;

/** What tests ask about plans. */
public final class Plans {

    private Plans() {}

    public static Plan plan(Yard yard) {
        return Planner.plan(yard.snapshot());
    }

    /** {@code light-spot 0->3, other 1->2}. */
    public static String grown(Plan plan) {
        return plan.growths().stream()
                .map(growth -> growth.pool().name() + " " + growth.from() + "->" + growth.to())
                .collect(Collectors.joining(", "));
    }

    /** Why pods have no place, in no order. */
    public static List<String> unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(outcome -> outcome instanceof Outcome.Unplaced)
                .map(Outcome::message)
                .toList();
    }

    /** What becomes of a pod that {@link dev.trainyard.scaler.Objects#waiting} made. */
    public static Outcome of(Plan plan, String pod) {
        return plan.outcomes().get("uid-" + pod);
    }
}
