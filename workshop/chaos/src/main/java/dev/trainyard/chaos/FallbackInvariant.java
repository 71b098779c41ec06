package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.simulation.api.ObjectStore;
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
 * The invariant that limits how long a pod waits for a pool whose cloud has no machines. The limit is {@code fallbackAfter} of the pod's
 * tier, if the tier has a further pool, or one that is equally preferred. The limit also applies if the cloud reports the stock-out late.
 */
final class FallbackInvariant {

    /**
     * The tolerance. Rounds are ten seconds apart. Threads that call clouds start up to forty seconds late. Another process takes over
     * within twenty seconds.
     */
    private static final Duration SLACK = Duration.ofMinutes(2);
    /** The time without a round after which waits start again, because no process could choose another pool. */
    private static final Duration NOBODY = Duration.ofMinutes(1);

    /** A duration longer than a trial. */
    private static final Duration EVER = Duration.ofDays(1000);

    private final World world;
    /** The start of each pod's wait for a pool. Every round since then has reported this wait. */
    private Map<Told, Long> since = new HashMap<>();

    private long last;
    /** When the current leader began to lead. */
    private long led;

    private record Told(String pod, String pool) {}

    FallbackInvariant(World world) {
        this.world = world;
    }

    /** Forgets all waits. A change of the wall clock makes the scaler's own measurements of waits wrong. */
    void clockIsSet() {
        since.clear();
    }

    /** Forgets the waits for a pool whose size a person has changed. The scaler may have to request the pool's machines again. */
    void sizeIsSet(String pool) {
        since.keySet().removeIf(told -> told.pool().equals(pool));
    }

    /** Records that another process leads. */
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
            if (pool.isPresent() && tier.isPresent()) {
                boolean nothing = hasNothing(pool.get());
                var told = new Told(pod.getMetadata().getUid(), pool.get());
                long from = from(before.getOrDefault(told, now), pool.get(), nothing);
                since.put(told, from);
                if (nothing) {
                    look(pod, told, tier.get(), Duration.ofNanos(now - from), round);
                }
            }
        }
    }

    /**
     * Returns the pool whose cloud the pod waits for, if any. A wait begins when a requested machine is upcoming for the pod. A new request
     * for the pod only continues a wait. A pod whose node has joined no longer waits for the cloud.
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

    /**
     * Returns the start of the wait, which is usually {@code told}. In two cases, the wait starts no earlier than the oldest unfilled
     * request. In the first case, {@code nothing} is false: a machine of the pool may still come for the pod. If no request is unfilled, the
     * wait then starts now. In the second case, another process has begun to lead during the wait. If the earlier process ended before it
     * recorded a withdrawn request, the new process repeats this request.
     *
     * @param told the start of the wait as known from earlier rounds
     * @param nothing the result of {@link #hasNothing}
     */
    private long from(long told, String pool, boolean nothing) {
        var owed = world.cloud().owedSince(pool).map(Moment::nanos);
        if (!nothing) {
            return Math.max(told, owed.orElse(world.time().nanos()));
        }
        return led < told ? told : Math.max(told, owed.orElse(told));
    }

    private void look(Pod pod, Told told, Tier tier, Duration waits, Round.Result round) {
        var view = round.snapshot().pools().get(told.pool());
        // If the scaler cannot read the pool, the pool may already have the machine.
        boolean known = view != null && view.state().isPresent();
        if (known && waits.compareTo(tier.fallbackAfter().plus(SLACK)) > 0) {
            throw new InvariantViolation(
                    "no pod waits for a pool that is out of stock",
                    world.time().elapsed(),
                    "pod %s has waited for a machine of pool %s for %s, but the cloud creates none; expected another pool of the tier, because fallbackAfter of tier %s is %s"
                            .formatted(
                                    ObjectStore.key(pod),
                                    told.pool(),
                                    Durations.format(waits),
                                    tier.name(),
                                    Durations.format(tier.fallbackAfter())));
        }
    }

    private Optional<Tier> tierWithFallback(Pod pod, String pool) {
        return Optional.ofNullable(PodReader.tier(pod))
                .map(name -> world.catalogue().tiers().get(name))
                .filter(tier -> tier.pools().stream().map(Pool::name).anyMatch(pool::equals)
                        && tier.pools().stream()
                                .map(Pool::name)
                                .anyMatch(other -> !other.equals(pool) && tier.rank(other) >= tier.rank(pool)));
    }

    /**
     * Whether the cloud has yet to deliver machines of the pool, but creates none. Machines that the cloud has reported as unavailable do
     * not count. False while a machine of the pool boots or is not usable yet, however long that takes.
     */
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
