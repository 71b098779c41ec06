package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import dev.trainyard.simulation.time.Moment;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of pods that wait for machines of a pool while its cloud has none: no longer than {@code fallbackAfter} of their tier, when it
 * names other pools after that one. A cloud may say nothing for as long as it likes.
 */
final class FallbackInvariant {

    /** What comes on top: rounds are ten seconds apart, threads that call clouds up to forty away, and another process takes over in twenty. */
    private static final Duration SLACK = Duration.ofMinutes(2);
    /** Without a round for so long nobody was there who could have turned to another pool. */
    private static final Duration NOBODY = Duration.ofMinutes(1);

    /** Longer than a trial. */
    private static final Duration EVER = Duration.ofDays(1);

    private final World world;
    /** What pods have been told in every round, and since when. */
    private Map<Told, Long> since = new HashMap<>();

    private long last;
    /** When somebody began to lead. */
    private long led;

    private record Told(String pod, String pool) {}

    FallbackInvariant(World world) {
        this.world = world;
    }

    /** Whatever was measured by the clock on the wall is wrong. */
    void clockIsSet() {
        since.clear();
    }

    /** Forgets waits for a pool whose size somebody else set: its machines may have to be requested again. */
    void sizeIsSet(String pool) {
        since.keySet().removeIf(told -> told.pool().equals(pool));
    }

    /** Another process leads. */
    void leads() {
        led = world.time().nanos();
    }

    void ended(Round.Result round) {
        long now = world.time().nanos();
        var before = now - last > NOBODY.toNanos() ? Map.<Told, Long>of() : since;
        last = now;
        since = new HashMap<>();
        for (var pod : world.server().pods().all()) {
            var pool = asked(round.plan().outcomes().get(pod.getMetadata().getUid()), pod, before.keySet());
            var tier = pool.flatMap(name -> tierWithFallback(pod, name));
            if (pool.isPresent() && tier.isPresent() && hasNothing(pool.get())) {
                var told = new Told(pod.getMetadata().getUid(), pool.get());
                long from = from(before.getOrDefault(told, now), pool.get());
                since.put(told, from);
                look(pod, told, tier.get(), Duration.ofNanos(now - from), round);
            }
        }
    }

    /**
     * Returns the pool whose cloud the pod waits for. A repeated request does not begin a new wait. A pod that waits for a node that has joined
     * does not wait for the cloud.
     */
    private Optional<String> asked(@Nullable Outcome outcome, Pod pod, Set<Told> before) {
        if (outcome instanceof Outcome.Upcoming upcoming) {
            return world.server().nodes().get(upcoming.machine()).isPresent()
                    ? Optional.empty()
                    : Optional.of(upcoming.pool());
        }
        return outcome instanceof Outcome.Growing growing
                        && before.contains(new Told(pod.getMetadata().getUid(), growing.pool()))
                ? Optional.of(growing.pool())
                : Optional.empty();
    }

    /** A process that ended before it could note that it took an order back leaves it to the next one to give it again. */
    private long from(long told, String pool) {
        return led < told
                ? told
                : Math.max(
                        told, world.cloud().owedSince(pool).map(Moment::nanos).orElse(told));
    }

    private void look(Pod pod, Told told, Tier tier, Duration waits, Round.Result round) {
        var view = round.snapshot().pools().get(told.pool());
        // A pool that cannot be read may have got what it was asked for.
        boolean known = view != null && view.state().isPresent();
        if (known && waits.compareTo(tier.fallbackAfter().plus(SLACK)) > 0) {
            throw new InvariantViolation(
                    "a pool that has nothing is not waited for",
                    world.time().elapsed(),
                    "pod %s has waited for a machine of pool %s for %s, which its cloud does not even make; fallbackAfter of tier %s is %s"
                            .formatted(
                                    Shelf.key(pod),
                                    told.pool(),
                                    Durations.format(waits),
                                    tier.name(),
                                    Durations.format(tier.fallbackAfter())));
        }
    }

    private Optional<Tier> tierWithFallback(Pod pod, String pool) {
        return Optional.ofNullable(PodReader.tier(pod))
                .map(name -> world.catalogue().tiers().get(name))
                .filter(tier -> {
                    int place = tier.pools().stream().map(Pool::name).toList().indexOf(pool);
                    return place >= 0 && place < tier.pools().size() - 1;
                });
    }

    /** Whether the cloud makes none of the machines that it was asked for, and has not said why. Those that it makes take as long as they take. */
    private boolean hasNothing(String pool) {
        var cloud = world.cloud();
        var running = cloud.running(pool);
        return cloud.outstanding(pool, EVER) > 0
                && cloud.machines(pool) == running.size()
                && running.stream().allMatch(this::isUsable);
    }

    private boolean isUsable(String machine) {
        return world.server()
                .nodes()
                .get(machine)
                .filter(node -> NodeFacts.isUsable(node) || NodeFacts.isUnschedulable(node))
                .isPresent();
    }
}
