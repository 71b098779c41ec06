package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Plan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the invariant detects a pod without capacity if a pod of lower priority has a place. */
class PriorityInvariantTest {

    private static final String INVARIANT = "pods of higher priority come first";
    private static final Outcome NO_ROOM = new Outcome.Unplaced(Reason.AT_MAXIMUM, "pool gpu is full");
    private static final Outcome PLACE = new Outcome.Growing("gpu", 1, "");

    private final Scene scene = Scene.withoutScaler(0);

    @Test
    void aPodOfALowerPriorityHasAPlaceThatWouldDoForAnother() {
        waiting("urgent", "2", 1);
        waiting("other", "2", 0);

        ended(Map.of("urgent", PLACE, "other", NO_ROOM));
        breaks(INVARIANT, () -> ended(Map.of("urgent", NO_ROOM, "other", PLACE)));
        breaks(INVARIANT, () -> ended(Map.of("urgent", NO_ROOM, "other", new Outcome.Upcoming("gpu", "#1", ""))));
        breaks(INVARIANT, () -> ended(Map.of("urgent", NO_ROOM, "other", new Outcome.OnNode("n", "", ""))));
    }

    @Test
    void onlyPriorityTellsWhoComesFirst() {
        waiting("one", "2", 0);
        waiting("other", "2", 0);

        ended(Map.of("one", NO_ROOM, "other", PLACE));
    }

    @Test
    void aPlaceThatIsTooSmallOrOfAnotherTierIsNone() {
        waiting("urgent", "2", 1);
        waiting("small", "1", 0);
        scene.pod("elsewhere", null, Map.of(Names.TIER, "other"), "4");

        ended(Map.of("urgent", NO_ROOM, "small", PLACE, "elsewhere", PLACE));
    }

    @Test
    void whatWaitsForItsGangOrForSomethingElseThanRoomKeepsNobodyBack() {
        waiting("other", "2", 0);
        waiting("blocked", "2", 1);
        scene.pod("member", null, Map.of(Names.TIER, "gpu", Names.GANG, "llm", Names.GANG_SIZE, "2"), "2");
        scene.priority("member", 1);

        ended(Map.of("other", PLACE, "blocked", new Outcome.Unplaced(Reason.BLOCKED, "its volume"), "member", NO_ROOM));
    }

    private void waiting(String name, String gpus, int priority) {
        scene.pod(name, null, Map.of(Names.TIER, "gpu"), gpus);
        scene.priority(name, priority);
    }

    /** @param said the outcomes of pods, by name */
    private void ended(Map<String, Outcome> said) {
        var outcomes = new HashMap<String, Outcome>();
        said.forEach((name, outcome) -> outcomes.put(
                scene.world()
                        .server()
                        .pods()
                        .get("team/" + name)
                        .orElseThrow()
                        .getMetadata()
                        .getUid(),
                outcome));
        new PriorityInvariant(scene.world(), pod -> false).ended(new Plan(List.of(), List.of(), outcomes, Set.of()));
    }
}
