package dev.trainyard.simulation;

import dev.trainyard.extender.gpu.GpuDemand;
import dev.trainyard.simulation.SimulationOutcome.DeadlineCounts;
import dev.trainyard.simulation.SimulationOutcome.PoolOutcome;
import dev.trainyard.simulation.SimulationOutcome.Reclaims;
import dev.trainyard.simulation.SimulationOutcome.Sample;
import dev.trainyard.simulation.SimulationOutcome.Waits;
import dev.trainyard.simulation.SimulationOutcome.WaitsOfSize;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.fault.FaultyWorld;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A run of one {@link Scenario}. */
public final class Simulation {

    /** Half of the largest number of samples in a timeline. If a timeline exceeds the largest number, every other sample is dropped. */
    private static final int SAMPLES = 240;

    private static final Duration FIRST_STEP = Duration.ofMinutes(1);

    /** The longest duration of a scenario without a length. */
    public static final Duration LONGEST = Duration.ofDays(31);

    /** The time without a change after which no further change is expected. All back-offs and fallback delays are shorter. */
    private static final Duration STILL = Duration.ofHours(2);

    /** A duration longer than any simulation, so that faults are injected until its end. */
    private static final Duration ALWAYS = Duration.ofDays(1000);

    private final Scenario scenario;
    private final World world;
    private final List<Sample> samples = new ArrayList<>();
    private Duration step = FIRST_STEP;

    private Simulation(Scenario scenario) {
        this.scenario = scenario;
        var setting = new World.Setting(
                scenario.start(),
                scenario.pools(),
                scenario.tiers(),
                scenario.settings(),
                scenario.workload(),
                scenario.clouds()::of,
                scenario.scanInterval(),
                scenario.batchWindow(),
                scenario.seed());
        this.world = scenario.faults().isEmpty()
                ? new World(setting)
                : FaultyWorld.of(setting, scenario.faults(), ALWAYS).world();
    }

    /**
     * Runs a scenario to its end.
     *
     * @param progress receives the simulated time so far, after each step
     */
    public static SimulationOutcome run(Scenario scenario, Consumer<Duration> progress) {
        return new Simulation(scenario).run(progress);
    }

    private SimulationOutcome run(Consumer<Duration> progress) {
        var end = scenario.length().orElse(LONGEST);
        sample();
        var now = Duration.ZERO;
        var changed = now;
        boolean open = scenario.length().isEmpty();
        while (now.compareTo(end) < 0 && !(open && (isOver() || isStuck(now.minus(changed))))) {
            now = now.plus(step).compareTo(end) < 0 ? now.plus(step) : end;
            var before = samples.get(samples.size() - 1);
            world.passTo(now);
            var after = sample();
            changed = isSame(before, after) ? changed : now;
            progress.accept(now);
        }
        return outcome();
    }

    /** Whether all tasks have ended, and no pool has more machines than the larger of its {@code min} and {@code spare}. */
    private boolean isOver() {
        return world.isOver()
                && scenario.pools().stream().allMatch(pool -> {
                    var spec = pool.getSpec();
                    int stay = Math.max(
                            Optional.ofNullable(spec.min()).orElse(0),
                            Optional.ofNullable(spec.spare()).orElse(0));
                    return world.cloud().machines(pool.getMetadata().getName()) <= stay;
                });
    }

    /**
     * Whether the simulation can make no more progress. All tasks were created, nothing has changed for {@link #STILL}, and no running pod
     * will end.
     */
    private boolean isStuck(Duration unchanged) {
        return world.allTasksCreated() && unchanged.compareTo(STILL) >= 0 && !world.willAnyEnd();
    }

    private static boolean isSame(Sample before, Sample after) {
        return before.running() == after.running()
                && before.waiting() == after.waiting()
                && before.machines().equals(after.machines());
    }

    private Sample sample() {
        int running = 0;
        int waiting = 0;
        for (var pod : world.server().pods().all()) {
            running += "Running".equals(pod.getStatus().getPhase()) ? 1 : 0;
            waiting += waits(pod) ? 1 : 0;
        }
        var machines = new TreeMap<String, Integer>();
        scenario.pools()
                .forEach(pool -> machines.put(
                        pool.getMetadata().getName(),
                        world.cloud().machines(pool.getMetadata().getName())));
        var record = world.record();
        var sample = new Sample(
                seconds(world.time().elapsed()),
                running,
                waiting,
                machines,
                record.gpus(),
                rounded(record.gpusUsed()),
                rounded(record.cost()));
        samples.add(sample);
        if (samples.size() > 2 * SAMPLES) {
            // Bounds the memory of a long simulation.
            for (int i = samples.size() - 2; i > 0; i -= 2) {
                samples.remove(i);
            }
            step = step.multipliedBy(2);
        }
        return sample;
    }

    private SimulationOutcome outcome() {
        var record = world.record();
        var waits = record.waits();
        var pools = new ArrayList<PoolOutcome>();
        record.pools()
                .forEach((name, use) -> pools.add(new PoolOutcome(
                        name, use.made(), use.most(), rounded(use.machineHours()), rounded(use.cost()))));
        double paid = record.pools().values().stream()
                .mapToDouble(use -> use.gpuHours())
                .sum();
        return new SimulationOutcome(
                scenario.name(),
                scenario.seed(),
                names(scenario.faults()),
                seconds(world.time().elapsed()),
                record.pods(),
                waits.length,
                record.lost(),
                world.failedJobs(),
                waiting(),
                new TreeMap<>(world.refused()),
                waits(waits),
                waitsByGpus(),
                reclaims(),
                deadlines(),
                rounded(record.cost()),
                rounded(paid),
                rounded(record.gpuHoursUsed()),
                record.rounds(),
                pools,
                samples);
    }

    private Map<String, Integer> waiting() {
        var reasons = new TreeMap<String, Integer>();
        world.server().pods().all().stream()
                .filter(Simulation::waits)
                .forEach(pod -> reasons.merge(reason(pod), 1, Integer::sum));
        return reasons;
    }

    private static boolean waits(Pod pod) {
        return "Pending".equals(pod.getStatus().getPhase()) && pod.getSpec().getNodeName() == null;
    }

    private String reason(Pod pod) {
        return world.record().reason(pod.getMetadata().getUid()).orElseGet(() -> schedulersReason(pod));
    }

    private static String schedulersReason(Pod pod) {
        return Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
                .filter(condition -> condition.getType().equals("PodScheduled"))
                .map(condition -> String.valueOf(condition.getMessage()))
                .findFirst()
                .orElse("the scheduler has not tried to place the pod yet");
    }

    private Map<String, WaitsOfSize> waitsByGpus() {
        var waits = new LinkedHashMap<String, long[]>(); // keeps the order of sizes
        world.record().waitsBySize().forEach((size, sorted) -> waits.merge(gpus(size), sorted, Simulation::merged));
        var byGpus = new LinkedHashMap<String, WaitsOfSize>();
        waits.forEach((gpus, sorted) -> byGpus.put(gpus, new WaitsOfSize(sorted.length, percentiles(sorted))));
        return byGpus;
    }

    private @Nullable Reclaims reclaims() {
        var reclaims = world.record().reclaims();
        return reclaims.pods() == 0
                ? null
                : new Reclaims(
                        reclaims.pods(),
                        reclaims.savedPods(),
                        rounded(reclaims.lostGpuHours()),
                        waits(reclaims.waits()),
                        waits(reclaims.delays()));
    }

    private @Nullable DeadlineCounts deadlines() {
        var counts = new DeadlineCounts(world.metDeadlines(), world.missedDeadlines());
        return counts.met() + counts.missed() == 0 ? null : counts;
    }

    private static String gpus(long thousandths) {
        return thousandths > 0 && thousandths < GpuDemand.WHOLE
                ? "shared"
                : Long.toString(thousandths / GpuDemand.WHOLE);
    }

    private static long[] merged(long[] some, long[] others) {
        return LongStream.concat(Arrays.stream(some), Arrays.stream(others))
                .sorted()
                .toArray();
    }

    private static @Nullable Waits waits(long[] sorted) {
        return sorted.length == 0 ? null : percentiles(sorted);
    }

    private static Waits percentiles(long[] sorted) {
        return new Waits(share(sorted, 50), share(sorted, 95), share(sorted, 100));
    }

    private static double share(long[] sorted, int percent) {
        int place = (int) Math.ceil(sorted.length * percent / 100.0) - 1;
        return seconds(Duration.ofNanos(sorted[Math.max(0, place)]));
    }

    private static List<String> names(Set<Fault> faults) {
        return faults.stream().sorted().map(Fault::toString).toList();
    }

    private static double seconds(Duration duration) {
        return rounded(duration.toNanos() / 1e9);
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
