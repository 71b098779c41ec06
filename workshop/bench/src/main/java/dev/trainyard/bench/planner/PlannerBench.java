package dev.trainyard.bench.planner;

import com.sun.management.ThreadMXBean;
import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** A benchmark of the planner on large snapshots. Uses one thread, as the scaler does. */
public final class PlannerBench {

    private static final double MILLI = 1e-6;
    private static final double MOST_OVER_BOUND = 0.03;
    private static final int PEER_MACHINES = 2595;
    private static final double MOST_FOR_GANGS = 1.5;

    /**
     * The maximum exponent e, where the planning time grows as the number of pods to the power of e. Sorting takes n log n, which is about
     * n to the power of 1.1 between 1,000 and 100,000 pods.
     */
    private static final double LINEAR = 1.1;

    private static final int ROUNDS = 40;
    private static final int FEW_ROUNDS = 3;
    private static final int SLOW_ROUNDS = 5;
    private static final int[] SIZES = {1_000, 3_000, 10_000, 30_000, 100_000};
    private static final int[] FEW_SIZES = {500, 1_000, 2_000};

    private final List<PlannerCase> cases;
    private final long seed;
    private final boolean quick;
    private final Consumer<String> progress;
    private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * @param seed seed of the random parts of the snapshots
     * @param quick whether to use a twentieth of the pods and few rounds
     */
    public PlannerBench(List<PlannerCase> cases, long seed, boolean quick, Consumer<String> progress) {
        this.cases = List.copyOf(cases);
        this.seed = seed;
        this.quick = quick;
        this.progress = progress;
    }

    public PlannerReport run() {
        var measured = new ArrayList<PlannerReport.Case>();
        var targets = new ArrayList<Goal>();
        for (var planned : cases) {
            if (!planned.isComparison()) {
                progress.accept("%s: %s".formatted(planned.word(), planned.what()));
                var report = measure(planned);
                measured.add(report);
                targets.addAll(targets(planned, report));
            }
        }
        var gangs = cases.contains(PlannerCase.GANGS) ? List.of(gangs()) : List.<PlannerReport.Gangs>of();
        gangs.forEach(each -> {
            targets.add(new Goal("gangs: ratio to the same pods without", each.ratio(), MOST_FOR_GANGS, false));
            targets.add(new Goal("gangs: faults found", (double) each.faults().size(), 0, false));
        });
        var growth = cases.contains(PlannerCase.GROWTH) ? growth() : List.<PlannerReport.Growth>of();
        growth.forEach(each ->
                targets.add(new Goal("growth, %s: exponent".formatted(each.what()), each.exponent(), LINEAR, false)));
        return new PlannerReport(MachineDescription.inWords(), seed, quick, measured, gangs, growth, targets);
    }

    private List<Goal> targets(PlannerCase planned, PlannerReport.Case report) {
        var targets = new ArrayList<Goal>();
        targets.add(new Goal(planned.word() + ": milliseconds", report.median(), planned.limitMillis(), false));
        if (planned == PlannerCase.A) {
            double peers = quick ? Math.ceil(PEER_MACHINES * report.pods() / 51_000.0) : PEER_MACHINES;
            targets.add(new Goal("a: machines", (double) report.machines(), peers, false));
        }
        if (planned == PlannerCase.B) {
            targets.add(new Goal("b: cost over bound", report.overBound(), MOST_OVER_BOUND, false));
        }
        targets.add(new Goal(
                planned.word() + ": faults found", (double) report.faults().size(), 0, false));
        return targets;
    }

    private PlannerReport.Case measure(PlannerCase planned) {
        int rounds = quick ? FEW_ROUNDS : planned.isSlow() ? SLOW_ROUNDS : ROUNDS;
        var times = new double[rounds];
        var cpu = new double[rounds];
        var floor = new double[rounds];
        var ratios = new double[rounds];
        var snapshot = planned.snapshot(seed, quick);
        long start = System.nanoTime();
        var plan = Planner.plan(snapshot);
        double cold = (System.nanoTime() - start) * MILLI;
        warm(snapshot, rounds);
        long allocated = 0;
        for (int round = 0; round < rounds; round++) {
            if (round % 2 == 0) {
                floor[round] = floor(snapshot);
            }
            long bytes = thread.getCurrentThreadAllocatedBytes();
            long before = thread.getCurrentThreadCpuTime();
            start = System.nanoTime();
            plan = Planner.plan(snapshot);
            times[round] = (System.nanoTime() - start) * MILLI;
            cpu[round] = (thread.getCurrentThreadCpuTime() - before) * MILLI;
            allocated = thread.getCurrentThreadAllocatedBytes() - bytes;
            if (round % 2 == 1) {
                floor[round] = floor(snapshot);
            }
            ratios[round] = times[round] / floor[round];
        }
        double cost = cost(plan);
        double bound = CostBound.of(snapshot);
        return new PlannerReport.Case(
                planned.word(),
                planned.what(),
                snapshot.waiting().size(),
                snapshot.pools().size(),
                snapshot.nodes().size(),
                rounds,
                cold,
                Figures.median(times),
                percentile95(times),
                Figures.median(cpu),
                Figures.median(floor),
                Figures.median(ratios),
                allocated,
                plan.growths().stream().mapToInt(Growth::machines).sum(),
                cost,
                bound,
                cost / bound - 1,
                (int) plan.outcomes().values().stream()
                        .filter(outcome -> outcome instanceof Outcome.Unplaced)
                        .count(),
                PlanCheck.faults(snapshot, plan));
    }

    /** Plans repeatedly, so that the JVM has optimised the code before the measurement. */
    private void warm(Snapshot snapshot, int rounds) {
        for (int round = 0; round < (quick ? 1 : rounds); round++) {
            Planner.plan(snapshot);
            floor(snapshot);
        }
    }

    /** Measures the floor: counting pods of equal shape, the minimum work of any planner that reads every pod. */
    private static double floor(Snapshot snapshot) {
        long start = System.nanoTime();
        var counts = new HashMap<PodShape, Integer>();
        for (var pod : snapshot.waiting()) {
            counts.merge(pod.shape(), 1, Integer::sum);
        }
        if (counts.isEmpty()) {
            throw new IllegalStateException("the workload has no pending pods, so the floor counted nothing");
        }
        return (System.nanoTime() - start) * MILLI;
    }

    private PlannerReport.Gangs gangs() {
        progress.accept("%s: %s".formatted(PlannerCase.GANGS.word(), PlannerCase.GANGS.what()));
        int number = 1_000 / (quick ? PlannerCase.FEWER : 1);
        var together = PlannerWorkload.gangs(number, true, seed);
        var apart = PlannerWorkload.gangs(number, false, seed);
        int rounds = quick ? FEW_ROUNDS : ROUNDS;
        var times = new double[rounds];
        var without = new double[rounds];
        var ratios = new double[rounds];
        warm(together, rounds);
        warm(apart, rounds);
        for (int round = 0; round < rounds; round++) {
            boolean isFirst = round % 2 == 0;
            double first = cpu(isFirst ? together : apart);
            double second = cpu(isFirst ? apart : together);
            times[round] = isFirst ? first : second;
            without[round] = isFirst ? second : first;
            ratios[round] = times[round] / without[round];
        }
        return new PlannerReport.Gangs(
                together.waiting().size(),
                number,
                Figures.median(times),
                Figures.median(without),
                Figures.median(ratios),
                PlanCheck.faults(together, Planner.plan(together)));
    }

    /** Returns the CPU time of one plan, in milliseconds. */
    private double cpu(Snapshot snapshot) {
        long before = thread.getCurrentThreadCpuTime();
        Planner.plan(snapshot);
        return (thread.getCurrentThreadCpuTime() - before) * MILLI;
    }

    private List<PlannerReport.Growth> growth() {
        return List.of(
                growth("two shapes", PlannerWorkload::twoShapes),
                growth("200 shapes, 50 pools", pods -> PlannerWorkload.gpus(pods, 50, 0, seed)),
                growth("no two alike", pods -> PlannerWorkload.distinct(pods, seed)));
    }

    private PlannerReport.Growth growth(String what, IntFunction<Snapshot> workload) {
        progress.accept("growth: " + what);
        var points = new ArrayList<PlannerReport.Point>();
        // First plans 1,000 pods repeatedly, so that the JVM has optimised the code before any size is measured.
        var smallest = workload.apply(1_000);
        for (int round = 0; round < (quick ? 1 : 5 * ROUNDS); round++) {
            Planner.plan(smallest);
        }
        for (int pods : quick ? FEW_SIZES : SIZES) {
            var snapshot = workload.apply(pods);
            var times = new double[quick ? FEW_ROUNDS : 9];
            for (int round = 0; round < times.length; round++) {
                times[round] = cpu(snapshot);
            }
            points.add(new PlannerReport.Point(pods, Figures.median(times)));
        }
        return new PlannerReport.Growth(what, points, exponent(points));
    }

    /** Returns the slope of the least-squares line through the points' logarithms. */
    static double exponent(List<PlannerReport.Point> points) {
        double meanX = points.stream()
                .mapToDouble(point -> Math.log(point.pods()))
                .average()
                .orElseThrow();
        double meanY = points.stream()
                .mapToDouble(point -> Math.log(point.millis()))
                .average()
                .orElseThrow();
        double xy = 0;
        double xx = 0;
        for (var point : points) {
            double x = Math.log(point.pods()) - meanX;
            xy += x * (Math.log(point.millis()) - meanY);
            xx += x * x;
        }
        return xy / xx;
    }

    private static double cost(Plan plan) {
        return plan.growths().stream()
                .mapToDouble(growth -> growth.machines()
                        * growth.pool().hourlyPrice().orElseThrow().doubleValue())
                .sum();
    }

    private static double percentile95(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(0.95 * sorted.length) - 1];
    }
}
