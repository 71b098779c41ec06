package dev.trainyard.bench.scoring;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * Published results of fragmentation gradient descent (FGD): the percentage of GPUs allocated when pods have requested 130 % of all GPUs.
 * The results are means of 10 runs, from {@code analysis_allo_discrete.csv} of hkust-adsl/kubernetes-scheduler-simulator, commit 8f3d6417.
 * The published scheduler broke ties by node name, and knew the workload beforehand.
 */
final class Published {

    private static final String PREFIX = "openb_pod_list_";

    private static final Map<String, Double> FGD = Map.ofEntries(
            Map.entry("default", 95.39),
            Map.entry("cpu050", 95.21),
            Map.entry("cpu100", 95.35),
            Map.entry("cpu200", 95.05),
            Map.entry("cpu250", 93.41),
            Map.entry("gpushare40", 94.15),
            Map.entry("gpushare60", 91.40),
            Map.entry("gpushare80", 89.30),
            Map.entry("gpushare100", 86.90),
            Map.entry("gpuspec10", 94.95),
            Map.entry("gpuspec20", 94.84),
            Map.entry("gpuspec25", 94.74),
            Map.entry("gpuspec33", 94.55),
            Map.entry("multigpu20", 95.65),
            Map.entry("multigpu30", 96.46),
            Map.entry("multigpu40", 96.99),
            Map.entry("multigpu50", 97.18));

    /** Our own target for the default trace with whole-GPU pods only. */
    private static final double WHOLE_GPUS_OF_DEFAULT = 99.8;

    private Published() {}

    /** Returns the published figure of a trace; empty if there is none. */
    static OptionalDouble fgd(String trace) {
        var value = FGD.get(withoutPrefix(trace));
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** Returns our own target for a replay of whole-GPU pods only, for which no figure was published; empty if there is no target. */
    static OptionalDouble wholeGpus(String trace) {
        return withoutPrefix(trace).equals("default")
                ? OptionalDouble.of(WHOLE_GPUS_OF_DEFAULT)
                : OptionalDouble.empty();
    }

    private static String withoutPrefix(String trace) {
        return trace.startsWith(PREFIX) ? trace.substring(PREFIX.length()) : trace;
    }
}
