package dev.trainyard.bench.scoring;

import static dev.trainyard.bench.scoring.ScoringReport.PERCENT_DIGITS;
import static dev.trainyard.bench.scoring.ScoringReport.rounded;

import dev.trainyard.bench.scoring.trace.GpuSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** A summary of single replays as figures of the report. */
final class Summary {

    private static final double MICRO = 1e-3;

    private Summary() {}

    /** @param yardstick replays for comparison: the same orders under MostAllocated on GPUs */
    static ScoringReport.Policy of(
            String name, boolean overHttp, List<ScoringOutcome> runs, List<ScoringOutcome> yardstick) {
        var atEnd = values(runs, ScoringOutcome::allocatedAtEnd);
        var atFull = values(runs, ScoringOutcome::allocatedAtFull);
        var differences = Statistics.differences(atEnd, values(yardstick, ScoringOutcome::allocatedAtEnd));
        int won = (int) Arrays.stream(differences).filter(value -> value > 0).count();
        int lost = (int) Arrays.stream(differences).filter(value -> value < 0).count();
        var decisions = new Histogram(3);
        runs.forEach(run -> decisions.add(run.decisions()));
        return new ScoringReport.Policy(
                name,
                overHttp,
                percent(Statistics.mean(atEnd)),
                percent(Statistics.mean(atFull)),
                percent(Statistics.deviation(atEnd)),
                percent(Statistics.deviation(atFull)),
                percent(Statistics.mean(differences)),
                won,
                rounded(Statistics.signTest(won, lost), 4),
                means(runs, ScoringOutcome::unplaced),
                means(runs, ScoringOutcome::arrived),
                rounded(decisions.getValueAtPercentile(50) * MICRO, 1),
                rounded(decisions.getValueAtPercentile(99) * MICRO, 1),
                Arrays.stream(atEnd).mapToObj(Summary::percent).toList());
    }

    /** Returns the targets of an extender policy on a trace. A target without a known limit is left out. */
    static List<ScoringReport.Target> targets(
            String policy, String trace, boolean wholeGpus, List<ScoringOutcome> runs, List<ScoringOutcome> yardstick) {
        double value = Statistics.mean(values(runs, ScoringOutcome::allocatedAtEnd));
        var targets = new ArrayList<ScoringReport.Target>();
        targets.add(ScoringReport.Target.of(
                policy,
                "MostAllocated on GPUs, in this run",
                value,
                Statistics.mean(values(yardstick, ScoringOutcome::allocatedAtEnd)),
                false));
        if (wholeGpus) {
            Published.wholeGpus(trace)
                    .ifPresent(limit -> targets.add(
                            ScoringReport.Target.of(policy, "asked for of whole GPUs", value, limit, true)));
        } else {
            Published.fgd(trace)
                    .ifPresent(limit -> targets.add(
                            ScoringReport.Target.of(policy, "FGD as published for this trace", value, limit, false)));
        }
        return targets;
    }

    private static double[] values(List<ScoringOutcome> runs, ToDoubleFunction<ScoringOutcome> value) {
        return runs.stream().mapToDouble(value).toArray();
    }

    private static Map<String, Double> means(
            List<ScoringOutcome> runs, Function<ScoringOutcome, Map<GpuSize, Integer>> counts) {
        var sizes = new TreeSet<GpuSize>();
        runs.forEach(run -> sizes.addAll(run.arrived().keySet()));
        var means = new LinkedHashMap<String, Double>();
        for (var size : sizes) {
            double mean = runs.stream()
                    .mapToInt(run -> counts.apply(run).getOrDefault(size, 0))
                    .average()
                    .orElse(0);
            means.put(size.word(), rounded(mean, 1));
        }
        return means;
    }

    private static double percent(double value) {
        return rounded(value, PERCENT_DIGITS);
    }
}
