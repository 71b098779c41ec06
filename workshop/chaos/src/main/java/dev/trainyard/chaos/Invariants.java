package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.simulation.api.ObjectStore;
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
 * The invariants that must hold under all faults ({@code docs/chaos.md} lists them). The checks use the real state of the API server and the
 * clouds, and not the scaler's view.
 */
final class Invariants implements WorldObserver {

    private static final Duration LONG = Duration.ofMinutes(15);

    /** Failures within this time count once: the scaler may send several requests before it learns of the first failure. */
    private static final Duration ROUND = Duration.ofSeconds(10);

    /**
     * The largest accepted number of failures of a pool within {@link #LONG}. With back-offs of one minute, two minutes and so on, four
     * requests fail. AWS groups also retry by themselves every two minutes, and operators make requests, too. Seeds 1 to 20 give at most 8
     * failures. A pool that is requested in every round of the scaler fails ninety times.
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
    private final LostMachineInvariant lost;
    private final AnnouncedNodes announced;
    private final NoticeInvariants notices;
    private final LeavingGangs gangs;
    private final ReturnInvariants returns;
    private final WholeGangs wholeGangs;
    /** The times of failed requests, by pool. */
    private final Map<String, ArrayDeque<Long>> failed = new HashMap<>();

    private Optional<Round.Result> last = Optional.empty();
    private long rounds;

    /** @param refused tells whether a scheduler rule unknown to Trainyard excludes, or has ever excluded, pods like the given pod */
    Invariants(World world, Predicate<Pod> refused) {
        this.world = world;
        announced = new AnnouncedNodes(world);
        gangs = new LeavingGangs(world, announced);
        departures = new RemovalInvariants(world, announced, gangs);
        bindings = new BindingInvariant(world);
        budgets = new EvictionInvariants(world, announced);
        wanted = new NeededMachines(world, announced, gangs, refused);
        purchases = new LaunchInvariants(world, wanted, announced);
        reasons = new ReasonInvariant(world);
        fallbacks = new FallbackInvariant(world);
        turns = new PriorityInvariant(world, refused);
        tries = new RetryInvariant(world, wanted, refused);
        lost = new LostMachineInvariant(world);
        notices = new NoticeInvariants(world, announced, gangs);
        returns = new ReturnInvariants(world, announced);
        wholeGangs = new WholeGangs(world);
        MinimumInvariant.watch(world);
    }

    long rounds() {
        return rounds;
    }

    @Override
    public void grows(Pool pool, int from, int to) {
        purchases.grows(pool, from, to);
        notices.grows(pool.name());
    }

    /** Returns the invariants of removals. */
    RemovalInvariants departures() {
        return departures;
    }

    @Override
    public void terminates(Pool pool, String machine) {
        departures.terminates(pool, machine);
        // A notice, or a broken machine, does not show that such machines do not help the pod.
        if (!announced.mayBeEmptied(machine)) {
            tries.terminates(pool, machine);
        }
    }

    @Override
    public void evicts(PodOnNode pod) {
        departures.evicts(pod);
        budgets.evicts(pod);
        notices.evicts(pod);
        gangs.evicts(pod);
    }

    @Override
    public void deletes(String node) {
        departures.deletes(node);
    }

    @Override
    public void leads() {
        fallbacks.leads();
        notices.leads();
        gangs.leads();
    }

    @Override
    public void clockIsSet(Duration by) {
        departures.clockIsSet();
        bindings.clockIsSet();
        fallbacks.clockIsSet();
        tries.clockIsSet();
        lost.clockIsSet(by);
        announced.clockIsSet();
        notices.clockIsSet();
    }

    @Override
    public void sizeIsSet(String pool) {
        tries.sizeIsSet(pool);
        fallbacks.sizeIsSet(pool);
        notices.grows(pool);
    }

    @Override
    public void fails(Pool pool) {
        var failures = failed.computeIfAbsent(pool.name(), name -> new ArrayDeque<>());
        if (!failures.isEmpty() && world.time().nanos() - failures.getLast() < ROUND.toNanos()) {
            return;
        }
        failures.add(world.time().nanos());
        while (world.time().nanos() - failures.getFirst() > LONG.toNanos()) {
            failures.removeFirst();
        }
        if (failures.size() > MANY) {
            throw broken(
                    "a failing pool gets few requests",
                    "pool %s failed %d times within %s; expected a longer back-off and fewer requests"
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
        lost.ended(round);
        notices.ended(round);
        gangs.ended(round);
    }

    @Override
    public void failed(RuntimeException problem) {
        throw broken("rounds do not fail", InvariantViolation.in(problem));
    }

    /** Checks the final state, which a trial reaches some time after the faults have ended. */
    void settled() {
        if (isAnyLeftThatIsWanted() || (!world.isOver() && !isLeftForGood())) {
            throw broken("every workload ends", "some workloads have not ended; the pods are: " + left());
        }
        for (var pool : pools()) {
            var name = pool.name();
            int stay = Math.max(pool.min(), pool.spare());
            int machines = world.cloud().machines(name);
            if (machines > stay) {
                throw broken(
                        "no surplus machine is left",
                        "pool %s has %d machines; expected at most %d; the scaler's reasons for its nodes: %s"
                                .formatted(name, machines, stay, saidOf(name)));
            }
            if (world.cloud().target(name) < pool.min()) {
                throw broken("size", "the target size of pool %s is below its minimum".formatted(name));
            }
            long usable =
                    world.cloud().running(name).stream().filter(this::isUsable).count();
            if (usable < stay) {
                throw broken(
                        "size", "pool %s has %d usable machines, expected at least %d".formatted(name, usable, stay));
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
        notices.settled();
        returns.settled();
        wholeGangs.settled();
    }

    /**
     * Whether pods remain, and no machine may be requested for any of them. Such pods belong to a gang that is no longer complete: succeeded
     * pods of the gang were deleted together with their machines.
     */
    private boolean isLeftForGood() {
        var left = world.server().pods().all().stream()
                .filter(pod -> !Pods.ended(pod))
                .toList();
        return !left.isEmpty() && left.stream().noneMatch(wanted::justifiesMachine);
    }

    /**
     * Whether a pending pod is left that a machine may be requested for. This includes pods of Deployments, which never end by themselves.
     */
    private boolean isAnyLeftThatIsWanted() {
        return world.server().pods().all().stream()
                .anyMatch(pod -> NeededMachines.waits(pod) && wanted.justifiesMachine(pod));
    }

    private boolean isUsable(String machine) {
        return world.lives(machine)
                && world.server()
                        .nodes()
                        .get(machine)
                        .filter(NodeFacts::isUsable)
                        .isPresent();
    }

    /** @param writes the scaler's requests in a time in which nothing should change */
    void quiet(List<String> writes) {
        if (!writes.isEmpty()) {
            throw broken("quiet", "the scaler must send no requests in the quiet hour, but sent these: " + writes);
        }
    }

    /** Describes the pods that have not ended, with their nodes. */
    private List<String> left() {
        return world.server().pods().all().stream()
                .map(pod -> "pod %s, phase %s, node %s%s: %s"
                        .formatted(
                                ObjectStore.key(pod),
                                pod.getStatus().getPhase(),
                                pod.getSpec().getNodeName(),
                                pod.getMetadata().getDeletionTimestamp() == null ? "" : ", being deleted",
                                reason(pod)))
                .toList();
    }

    /** Returns the scaler's message about a pod, or about its node. */
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
                .orElse("the scaler gave no reason");
    }

    /** Returns the scaler's messages about the nodes of a pool. */
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
