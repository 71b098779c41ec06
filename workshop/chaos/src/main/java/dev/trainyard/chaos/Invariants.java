package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import dev.trainyard.simulation.fault.WorldObserver;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What must hold whatever goes wrong ({@code docs/chaos.md} lists it). Looked at from outside: by what the API server and the clouds
 * really have, not by what the scaler believes.
 */
final class Invariants implements WorldObserver {

    private static final Duration LONG = Duration.ofMinutes(15);

    /**
     * Failures within {@link #LONG} of a pool that is asked over and over. By back-offs of a minute, then two, and so on, four orders fail; groups of AWS
     * try by themselves every two minutes besides, and operators order too: in seeds 1 to 20 it is never more than 8. A pool that is asked in
     * every round fails ninety times.
     */
    private static final int MANY = 24;

    private final World world;
    private final RemovalInvariants departures;
    private final BindingInvariant bindings;
    private final EvictionInvariants budgets;
    private final NeededMachines wanted;
    private final LaunchInvariants purchases;
    private final ReasonInvariant reasons;
    private final FallbackInvariant fallbacks;
    private final PriorityInvariant turns;
    private final RetryInvariant tries;
    /** By pool: when orders failed. */
    private final Map<String, ArrayDeque<Long>> failed = new HashMap<>();

    private Optional<Round.Result> last = Optional.empty();
    private long rounds;

    /** @param refused whether an unknown rule of the scheduler is, or was, against such pods */
    Invariants(World world, Predicate<Pod> refused) {
        this.world = world;
        departures = new RemovalInvariants(world);
        bindings = new BindingInvariant(world);
        budgets = new EvictionInvariants(world);
        wanted = new NeededMachines(world, refused);
        purchases = new LaunchInvariants(world, wanted);
        reasons = new ReasonInvariant(world);
        fallbacks = new FallbackInvariant(world);
        turns = new PriorityInvariant(world, refused);
        tries = new RetryInvariant(world, wanted, refused);
        MinimumInvariant.watch(world);
    }

    long rounds() {
        return rounds;
    }

    @Override
    public void grows(Pool pool, int from, int to) {
        purchases.grows(pool, from, to);
    }

    /** What must hold when something goes. */
    RemovalInvariants departures() {
        return departures;
    }

    @Override
    public void terminates(Pool pool, String machine) {
        departures.terminates(pool, machine);
        tries.terminates(pool, machine);
    }

    @Override
    public void evicts(PodOnNode pod) {
        departures.evicts(pod);
        budgets.evicts(pod);
    }

    @Override
    public void deletes(String node) {
        departures.deletes(node);
    }

    @Override
    public void leads() {
        fallbacks.leads();
    }

    @Override
    public void clockIsSet() {
        departures.clockIsSet();
        bindings.clockIsSet();
        fallbacks.clockIsSet();
        tries.clockIsSet();
    }

    @Override
    public void sizeIsSet(String pool) {
        tries.sizeIsSet(pool);
        fallbacks.sizeIsSet(pool);
    }

    @Override
    public void fails(Pool pool) {
        var failures = failed.computeIfAbsent(pool.name(), name -> new ArrayDeque<>());
        failures.add(world.time().nanos());
        while (world.time().nanos() - failures.getFirst() > LONG.toNanos()) {
            failures.removeFirst();
        }
        if (failures.size() > MANY) {
            throw broken(
                    "a pool that has failed is left alone",
                    "pool %s failed %d times within %s: nobody waits for longer each time"
                            .formatted(pool.name(), failures.size(), Durations.format(LONG)));
        }
    }

    @Override
    public void ended(Round.Result round) {
        rounds++;
        last = Optional.of(round);
        reasons.ended(round);
        fallbacks.ended(round);
        turns.ended(round.plan());
    }

    @Override
    public void failed(RuntimeException problem) {
        throw broken("rounds do not fail", InvariantViolation.in(problem));
    }

    /** When nothing goes wrong any more and there was time enough. */
    void settled() {
        if (isAnyLeftThatIsWanted() || (!world.isOver() && !isLeftForGood())) {
            throw broken("everything ends", "what was created has not all run: " + left());
        }
        for (var pool : pools()) {
            var name = pool.name();
            int stay = Math.max(pool.min(), pool.spare());
            int machines = world.cloud().machines(name);
            if (machines > stay) {
                throw broken(
                        "nothing is left",
                        "pool %s has %d machines, %d are to stay: %s".formatted(name, machines, stay, saidOf(name)));
            }
            if (world.cloud().target(name) < pool.min()) {
                throw broken("size", "pool %s has a target below its minimum".formatted(name));
            }
            long usable =
                    world.cloud().running(name).stream().filter(this::isUsable).count();
            if (usable < stay) {
                throw broken(
                        "size",
                        "pool %s has %d machines that can be used, %d are to stay".formatted(name, usable, stay));
            }
            for (var machine : world.cloud().running(name)) {
                if (world.server().nodes().get(machine).isEmpty()) {
                    throw broken("no orphans", "machine %s has no node".formatted(machine));
                }
            }
        }
        for (var node : world.server().nodes().all()) {
            var name = node.getMetadata().getName();
            boolean has = pools().stream()
                    .anyMatch(pool -> world.cloud().running(pool.name()).contains(name));
            if (!has) {
                throw broken("no orphans", "node %s has no machine".formatted(name));
            }
        }
    }

    /**
     * Whether nothing is bought for what is left: members of a gang that is not whole any more, as pods that have succeeded go with their machines,
     * and nobody can count them then.
     */
    private boolean isLeftForGood() {
        var left = world.server().pods().all().stream()
                .filter(pod -> !Pods.ended(pod))
                .toList();
        return !left.isEmpty() && left.stream().noneMatch(wanted::isBoughtFor);
    }

    /** Of whatever made it: a Deployment has no end that could fail to come, but its pods are to run. */
    private boolean isAnyLeftThatIsWanted() {
        return world.server().pods().all().stream()
                .anyMatch(pod -> NeededMachines.waits(pod) && wanted.isBoughtFor(pod));
    }

    private boolean isUsable(String machine) {
        return world.lives(machine)
                && world.server()
                        .nodes()
                        .get(machine)
                        .filter(NodeFacts::isUsable)
                        .isPresent();
    }

    /** @param writes requests that changed something while nothing happened */
    void quiet(List<String> writes) {
        if (!writes.isEmpty()) {
            throw broken("quiet", "in an hour in which nothing happened there were " + writes);
        }
    }

    /** Pods that have not ended, and where they are. */
    private List<String> left() {
        return world.server().pods().all().stream()
                .map(pod -> "%s %s on %s%s, %s"
                        .formatted(
                                Shelf.key(pod),
                                pod.getStatus().getPhase(),
                                pod.getSpec().getNodeName(),
                                pod.getMetadata().getDeletionTimestamp() == null ? "" : ", told to end",
                                reason(pod)))
                .toList();
    }

    /** What the scaler says of a pod, or of its node. */
    private String reason(Pod pod) {
        if (last.isEmpty()) {
            return "no round has ended";
        }
        var outcome = last.get().plan().outcomes().get(pod.getMetadata().getUid());
        if (outcome != null) {
            return outcome.message();
        }
        return last.get().verdicts().stream()
                .filter(verdict -> verdict.node().name().equals(pod.getSpec().getNodeName()))
                .map(verdict -> verdict.state() + ": " + verdict.reason())
                .findFirst()
                .orElse("nothing is said of it");
    }

    /** What the scaler says of the nodes of a pool. */
    private List<String> saidOf(String pool) {
        return last.stream()
                .flatMap(round -> round.verdicts().stream())
                .filter(verdict ->
                        world.cloud().running(pool).contains(verdict.node().name()))
                .map(verdict -> "%s %s: %s".formatted(verdict.node().name(), verdict.state(), verdict.reason()))
                .toList();
    }

    private Collection<Pool> pools() {
        return world.catalogue().pools().values();
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }
}
