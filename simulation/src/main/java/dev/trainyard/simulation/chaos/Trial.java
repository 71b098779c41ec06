package dev.trainyard.simulation.chaos;

import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One seed: a made-up configuration and workload, in which things go wrong for two hours, and then may settle. */
final class Trial {

    /** Until then things go wrong. */
    private static final Duration TROUBLE = Duration.ofHours(2);
    /** The longest back-off is half an hour, a pod runs for 40 minutes at most and may be moved after 10, and a clock may have been set by hours. */
    private static final Duration SETTLED = TROUBLE.plusHours(8);

    private static final Duration QUIET = SETTLED.plusHours(1);
    private static final Duration STEP = Duration.ofMinutes(5);

    private Trial() {}

    /**
     * What came of it.
     *
     * @param timeline the sum of all that happened
     * @param failure the first invariant that broke; empty when all held
     */
    record Result(long seed, Set<Fault> faults, long rounds, long timeline, Optional<Failure> failure) {}

    /** @param diary the last things that happened before it */
    record Failure(String invariant, Duration at, String how, List<String> diary) {}

    /** Runs it; the same arguments give the same result. */
    static Result run(long seed, Set<Fault> faults) {
        var parts = Parts.of(seed, faults);
        Optional<Failure> failure = Optional.empty();
        try {
            parts.play();
        } catch (Broken broken) {
            failure = Optional.of(new Failure(
                    broken.invariant(),
                    broken.at(),
                    String.valueOf(broken.getMessage()),
                    parts.diary().lines()));
        } catch (RuntimeException e) {
            failure = Optional.of(new Failure(
                    "nothing fails by itself",
                    parts.world().time().elapsed(),
                    Broken.in(e),
                    parts.diary().lines()));
        }
        return new Result(
                seed,
                EnumSet.copyOf(faults),
                parts.invariants().rounds(),
                parts.diary().sum(),
                failure);
    }

    private record Parts(World world, Mischief mischief, Diary diary, Invariants invariants) {

        static Parts of(long seed, Set<Fault> faults) {
            var setting = Plot.of(seed);
            var time = new VirtualTime(setting.start());
            var diary = new Diary(time);
            var mischief = new Mischief(faults, seed, time, diary);
            var world = new World(setting, time, mischief);
            var invariants = new Invariants(world, mischief.rules()::haveRefused);
            mischief.isSeenBy(invariants);
            world.server().pods().inform(() -> Duration.ZERO).tell(new Verdicts(diary));
            Happenings.plan(world, mischief, diary, TROUBLE);
            return new Parts(world, mischief, diary, invariants);
        }

        void play() {
            for (var until = STEP; until.compareTo(SETTLED) < 0; until = until.plus(STEP)) {
                world.passTo(until);
            }
            world.passTo(SETTLED);
            invariants.settled();
            mischief.takeWrites();
            world.passTo(QUIET);
            invariants.quiet(mischief.takeWrites());
        }
    }

    /** Writes down what becomes of pods. */
    private record Verdicts(Diary diary) implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (!said(before).equals(said(after))) {
                diary.note("pod %s: %s".formatted(after.getMetadata().getName(), said(after)));
            }
        }

        private static String said(Pod pod) {
            var node = pod.getSpec().getNodeName();
            return node != null
                    ? pod.getStatus().getPhase() + " on " + node
                    : Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
                            .map(condition -> String.valueOf(condition.getMessage()))
                            .findFirst()
                            .orElse("");
        }
    }
}
