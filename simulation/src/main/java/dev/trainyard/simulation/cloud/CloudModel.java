package dev.trainyard.simulation.cloud;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.cloud.CloudResource.Made;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.Moment;
import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A model of clouds. Its groups of machines behave as documented for Azure scale sets and AWS Auto Scaling groups. A request is accepted at
 * once, and filled or failed later. The model keeps its state when a scaler process ends. Not thread-safe.
 */
public final class CloudModel implements CloudProvider {

    private static final Duration ACCEPTED_WITHIN = Duration.ofSeconds(2);
    /**
     * The interval of an Auto Scaling group's retries. A real group retries at growing intervals. The first of these intervals have about
     * this mean.
     */
    private static final Duration TRIED_AGAIN_AFTER = Duration.ofMinutes(2);
    /** How long a pool's state contains a failure. Real clouds list the activities of some hours. */
    private static final Duration TOLD_FOR = Duration.ofHours(1);

    /** The resource of a pool whose cloud was never called. */
    private static final CloudResource NONE = new CloudResource(new TokenBucket(0));

    private final VirtualTime time;
    private final MachineObserver fleet;
    private final Function<Pool, Behaviour> behaviours;
    private final Chance chance;
    private final TreeMap<String, CloudResource> resources = new TreeMap<>();
    private final CloudObserver witness;
    /** Until when a lifecycle hook held each machine, in nanoseconds of the run; the largest number while the machine is held. */
    private final Map<String, Long> heldUntil = new HashMap<>();

    /** @param behaviours the behaviour of each pool's cloud */
    public CloudModel(
            VirtualTime time,
            MachineObserver fleet,
            Function<Pool, Behaviour> behaviours,
            Chance chance,
            CloudObserver witness) {
        this.time = time;
        this.fleet = fleet;
        this.behaviours = behaviours;
        this.chance = chance;
        this.witness = witness;
    }

    /** Returns the number of a pool's machines that are paid for. */
    public int machines(String pool) {
        return find(pool).machines.size();
    }

    public int target(String pool) {
        return find(pool).target;
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        var resource = admitted(pool);
        var now = time.instant();
        resource.failures.removeIf(failure -> failure.at().plus(TOLD_FOR).isBefore(now));
        return new PoolState(
                resource.target,
                resource.listed.values().stream()
                        .map(made ->
                                new Machine(made.id, providerId(pool, made.id), made.id, made.state, made.since.wall()))
                        .toList(),
                List.copyOf(resource.failures));
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        var resource = admitted(pool);
        if (resource.target != to) {
            expect(resource, from);
            witness.grows(pool, from, to);
            resource.target = to;
            resource.settle();
            for (int machine = from; machine < to; machine++) {
                resource.asked.addLast(Moment.now(time));
            }
            time.after(ACCEPTED_WITHIN, () -> fill(pool));
        }
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        var resource = admitted(pool);
        if (resource.target != to) {
            expect(resource, from);
            if (to < resource.counting()) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "there are %d machines, more than the new target %d".formatted(resource.counting(), to));
            }
            witness.withdraws(pool, from, to);
            resource.target = to;
            resource.lacking = Math.max(0, resource.lacking - (from - to));
            resource.settle();
        }
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        var resource = admitted(pool);
        for (var doomed : machines) {
            var made = resource.machines.get(doomed.id());
            if (made != null && made.state != Machine.State.DELETING) {
                witness.terminates(pool, made.id);
                boolean held = made.state == Machine.State.HELD;
                boolean ran = held || made.state == Machine.State.RUNNING;
                made.state = Machine.State.DELETING;
                if (held) {
                    heldUntil.put(made.id, time.nanos());
                } else {
                    resource.target = Math.max(0, resource.target - 1);
                }
                if (ran) {
                    fleet.stopped(pool, made.id);
                }
                time.after(behaviours.apply(pool).departure(), () -> vanish(pool, made));
            }
        }
    }

    @Override
    public CallLimits limits() {
        return CallLimits.USUAL;
    }

    @Override
    public Duration attention() {
        return witness.attention();
    }

    /**
     * Reclaims a running spot machine.
     *
     * @return false if no machine of that name runs
     */
    public boolean evict(Pool pool, String machine) {
        var resource = resource(pool);
        var made = resource.machines.get(machine);
        if (made == null || made.state != Machine.State.RUNNING) {
            return false;
        }
        var behaviour = behaviours.apply(pool);
        fleet.reclaimed(pool, machine);
        fleet.stopped(pool, machine);
        if (behaviour.deallocates()) {
            made.state = Machine.State.FAILED;
            return true;
        }
        if (behaviour.group() == Group.SCALE_SET) {
            resource.target = Math.max(0, resource.target - 1);
        }
        vanish(pool, made);
        if (behaviour.group() == Group.AUTO_SCALING_GROUP) {
            resource.unrequested++;
            time.after(ACCEPTED_WITHIN, () -> fill(pool));
        }
        return true;
    }

    /**
     * Begins to terminate a running machine of an Auto Scaling group that has a lifecycle hook. The group replaces the machine at once. The
     * hook holds the machine, which keeps running until a call terminates it or {@code timeout} is over.
     *
     * @return false if no machine of that name runs, or if the pool's cloud has no such hooks
     */
    public boolean hold(Pool pool, String machine, Duration timeout) {
        var resource = resource(pool);
        var made = resource.machines.get(machine);
        if (made == null
                || made.state != Machine.State.RUNNING
                || behaviours.apply(pool).group() != Group.AUTO_SCALING_GROUP) {
            return false;
        }
        made.state = Machine.State.HELD;
        heldUntil.put(made.id, Long.MAX_VALUE);
        resource.unrequested++;
        time.after(ACCEPTED_WITHIN, () -> fill(pool));
        time.after(timeout, () -> {
            if (made.state == Machine.State.HELD) {
                heldUntil.put(made.id, time.nanos());
                fleet.stopped(pool, made.id);
                vanish(pool, made);
            }
        });
        return true;
    }

    /** Whether a lifecycle hook holds a machine of that name, or released it less than {@code ago} before. */
    public boolean isHeld(String machine, Duration ago) {
        var until = heldUntil.get(machine);
        return until != null && time.nanos() - until < ago.toNanos();
    }

    /** Deletes a running machine as a person does, and lowers the target. */
    public void removeByHand(Pool pool, String machine) {
        var resource = resource(pool);
        var made = resource.machines.get(machine);
        if (made != null && made.state == Machine.State.RUNNING) {
            fleet.stopped(pool, machine);
            resource.target = Math.max(0, resource.target - 1);
            vanish(pool, made);
        }
    }

    /** Changes the target as a person does. The new target is at least the number of machines and at most the pool's maximum. */
    public void resizeByHand(Pool pool, int by) {
        var resource = resource(pool);
        int target = Math.min(pool.max(), Math.max(resource.counting(), resource.target + by));
        if (target != resource.target) {
            resource.unrequested += Math.max(0, target - resource.target);
            resource.target = target;
            resource.settle();
            time.after(ACCEPTED_WITHIN, () -> fill(pool));
        }
    }

    /**
     * Returns the booting and running machines that were requested by a call and that are younger than {@code age} by the wall clock and by
     * the monotonic clock. The result is empty if the oldest unfilled request of the pool is older than {@code age}. The scaler no longer
     * expects machines of such a pool.
     */
    public List<String> called(String pool, Duration age) {
        var resource = find(pool);
        boolean overdue = resource.running() < resource.target
                && resource.firstAsked()
                        .filter(since -> !since.isWithin(age, time))
                        .isPresent();
        return overdue
                ? List.of()
                : resource.machines.values().stream()
                        .filter(made -> !made.unrequested && made.since.isWithin(age, time))
                        .filter(made -> made.state == Machine.State.CREATING || made.state == Machine.State.RUNNING)
                        .map(made -> made.id)
                        .toList();
    }

    /**
     * Returns the number of requested machines that the cloud has yet to create. Returns 0 if the oldest unfilled request is older than
     * {@code age} by the wall clock or by the monotonic clock. Leaves out the machines that the cloud has reported as unavailable, even if
     * their request was not withdrawn.
     */
    public int outstanding(String pool, Duration age) {
        var resource = find(pool);
        return resource.firstAsked().filter(asked -> asked.isWithin(age, time)).isPresent()
                ? Math.max(0, resource.promised() - resource.counting())
                : 0;
    }

    /**
     * Whether the scaler does not expect a machine, because the machine replaces a reclaimed machine, had been reported as unavailable, or
     * was added by a person who enlarged the pool.
     */
    public boolean isUnrequested(String pool, String machine) {
        var made = find(pool).machines.get(machine);
        return made != null && made.unrequested;
    }

    /** Whether the cloud has reported that some of the requested machines are unavailable. */
    public boolean lacks(String pool) {
        return find(pool).lacking > 0;
    }

    /** Returns the time of the oldest request with a machine that does not run yet; empty if the target is met. */
    public Optional<Moment> owedSince(String pool) {
        var resource = find(pool);
        return resource.firstAsked().filter(since -> resource.running() < resource.target);
    }

    /** Returns the names of a pool's running machines. */
    public List<String> running(String pool) {
        return find(pool).machines.values().stream()
                .filter(made -> made.state == Machine.State.RUNNING)
                .map(made -> made.id)
                .toList();
    }

    private void fill(Pool pool) {
        var resource = resource(pool);
        var behaviour = behaviours.apply(pool);
        int stock = witness.stock(pool, behaviour.stock());
        int missing = 0;
        while (!resource.makesNextLater && resource.counting() + missing < resource.target) {
            if (resource.machines.size() < stock) {
                make(pool, resource, behaviour);
                waitForNext(pool, resource);
            } else {
                missing++;
            }
        }
        resource.settle();
        if (missing > 0) {
            int number = missing;
            int before = resource.shortagesOver;
            time.after(behaviour.failure(), () -> {
                if (resource.shortagesOver == before) {
                    fail(pool, resource, number);
                }
            });
            if (behaviour.group() == Group.AUTO_SCALING_GROUP && !resource.triesAgain) {
                resource.triesAgain = true;
                time.after(TRIED_AGAIN_AFTER, () -> {
                    resource.triesAgain = false;
                    fill(pool);
                });
            }
        }
    }

    private void waitForNext(Pool pool, CloudResource resource) {
        var pace = witness.pace(pool);
        if (!pace.isZero()) {
            resource.makesNextLater = true;
            time.after(pace, () -> {
                resource.makesNextLater = false;
                fill(pool);
            });
        }
    }

    private void make(Pool pool, CloudResource resource, Behaviour behaviour) {
        // The scaler does not expect machines that the cloud has reported as unavailable. If the cloud creates such a
        // machine later, the machine is unrequested.
        boolean unrequested = resource.unrequested > 0 || resource.lacking > 0;
        if (resource.unrequested > 0) {
            resource.unrequested--;
        } else if (resource.lacking > 0) {
            resource.lacking--;
        }
        var made = new Made("%s-%06d".formatted(pool.name(), resource.made++), Moment.now(time), unrequested);
        resource.machines.put(made.id, made);
        show(pool, () -> resource.listed.put(made.id, made));
        fleet.made(pool, made.id);
        time.after(chance.between(behaviour.leastBoot(), behaviour.mostBoot()), () -> {
            if (made.state == Machine.State.CREATING) {
                made.state = Machine.State.RUNNING;
                if (!made.unrequested) {
                    resource.asked.pollFirst();
                }
                fleet.booted(pool, made.id, providerId(pool, made.id), behaviour.driver());
                behaviour
                        .evictedAfter()
                        .ifPresent(mean -> evictAfter(chance.until(mean), behaviour.notice(), pool, made));
            }
        });
    }

    /** Schedules the reclaim of a machine, and its announcement. With a notice and without, the machine is reclaimed at the same time. */
    private void evictAfter(Duration life, Duration notice, Pool pool, Made made) {
        if (!notice.isZero()) {
            var lead = notice.compareTo(life) < 0 ? notice : life;
            time.after(life.minus(lead), () -> {
                if (made.state == Machine.State.RUNNING && witness.reclaimsSpotMachines()) {
                    fleet.announced(pool, made.id, lead);
                }
            });
        }
        time.after(life, () -> {
            if (witness.reclaimsSpotMachines()) {
                evict(pool, made.id);
            }
        });
    }

    private void fail(Pool pool, CloudResource resource, int missing) {
        int lacking = Math.min(missing, resource.target - resource.counting());
        if (lacking <= 0) {
            return;
        }
        witness.fails(pool);
        // Missing machines that are reported as unavailable become lacking, and are no longer unrequested.
        resource.unrequested = Math.max(0, resource.unrequested - Math.max(0, lacking - resource.lacking));
        resource.lacking = Math.max(resource.lacking, lacking);
        resource.settle();
        resource.failures.add(new Failure(
                pool.isSpot() ? FailureKind.SPOT_CAPACITY : FailureKind.CAPACITY,
                "%d machines of this size are not available%s"
                        .formatted(lacking, pool.isSpot() ? " at the spot price" : ""),
                time.instant()));
    }

    /** Applies a change to the listed machines after the delay of the cloud's lists, or at once if there is no delay. */
    private void show(Pool pool, Runnable change) {
        var behind = behaviours.apply(pool).answers().behind();
        if (behind.isZero()) {
            change.run();
        } else {
            time.after(behind, change);
        }
    }

    private void vanish(Pool pool, Made made) {
        var resource = resource(pool);
        if (resource.machines.remove(made.id) != null) {
            made.state = Machine.State.DELETING;
            show(pool, () -> resource.listed.remove(made.id));
            fleet.gone(pool, made.id);
        }
    }

    private CloudResource resource(Pool pool) {
        return resources.computeIfAbsent(
                pool.name(),
                name -> new CloudResource(
                        new TokenBucket(behaviours.apply(pool).answers().inAMinute())));
    }

    private CloudResource find(String pool) {
        return resources.getOrDefault(pool, NONE);
    }

    /**
     * Returns the resource of a pool, and counts a call against the resource's limit.
     *
     * @throws ProviderException if the resource has no calls left in this minute
     */
    private CloudResource admitted(Pool pool) throws ProviderException {
        var resource = resource(pool);
        if (!resource.calls.take(time.nanos())) {
            throw new ProviderException(
                    FailureKind.THROTTLED,
                    "pool %s has had its %d calls in a minute"
                            .formatted(
                                    pool.name(),
                                    behaviours.apply(pool).answers().inAMinute()));
        }
        return resource;
    }

    private static String providerId(Pool pool, String machine) {
        return "simulated://%s/%s".formatted(pool.name(), machine);
    }

    private static void expect(CloudResource resource, int from) throws ProviderException {
        if (resource.target != from) {
            throw new ProviderException(
                    FailureKind.CONFLICT, "the target is %d, not %d".formatted(resource.target, from));
        }
    }

    /** Returns the targets of all pools, for tests and invariants. */
    public Map<String, Integer> targets() {
        var targets = new TreeMap<String, Integer>();
        resources.forEach((name, resource) -> targets.put(name, resource.target));
        return targets;
    }
}
