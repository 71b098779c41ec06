package dev.trainyard.bench.scale;

import dev.trainyard.bench.measure.Percentiles;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one component. Trends leave out the first third of the pods, in which the JVM loads and compiles code.
 *
 * @param heap trend of the size of all live objects, in MiB; null if there are too few samples
 * @param resident trend of the resident set size, in MiB; null if there are too few samples
 * @param lagMillis time until the component's watch had delivered a write
 * @param callsPerPod requests to the API server per pod
 * @param cloudCallsPerPod requests of the simulated cloud per pod; 0 unless the component is the scaler
 * @param cpuMillisPerPod CPU time per pod
 * @param grown the classes whose live objects grew most in the time of the trends, the most first
 */
public record ComponentReport(
        String name,
        List<ComponentSample> samples,
        @Nullable Trend heap,
        @Nullable Trend resident,
        Percentiles lagMillis,
        double callsPerPod,
        double cloudCallsPerPod,
        double cpuMillisPerPod,
        List<ClassGrowth> grown) {

    /** The share of the pods that trends leave out. */
    static final double WARM_UP = 1 / 3.0;

    static final int SHOWN_CLASSES = 10;

    /** The largest growth or decrease of the heap that counts as flat, in MiB per 1,000 pods: about 260 bytes per pod. */
    private static final double FLAT_HEAP = 0.25;

    private static final double FLAT_RESIDENT = 1;
    private static final int FEWEST_POINTS = 3;

    public ComponentReport {
        samples = List.copyOf(samples);
        grown = List.copyOf(grown);
    }

    static ComponentReport of(
            String name,
            List<ComponentSample> samples,
            int pods,
            double calls,
            double cloudCalls,
            List<ClassGrowth> grown) {
        double cpu =
                samples.get(samples.size() - 1).cpuSeconds() - samples.get(0).cpuSeconds();
        var collected = samples.stream()
                .filter(sample -> sample.heapMebibytes() != null)
                .toList();
        return new ComponentReport(
                name,
                samples,
                trend(collected, pods, sample -> sample.heapMebibytes() == null ? 0 : sample.heapMebibytes()),
                trend(samples, pods, ComponentSample::residentMebibytes),
                Percentiles.of(
                        samples.stream().mapToDouble(ComponentSample::lagMillis).toArray()),
                calls / pods,
                cloudCalls / pods,
                cpu * 1e3 / pods,
                grown);
    }

    private static @Nullable Trend trend(
            List<ComponentSample> samples, int pods, ToDoubleFunction<ComponentSample> value) {
        var points = samples.stream()
                .filter(sample -> sample.pods() >= pods * WARM_UP)
                .map(sample -> new Trend.Point(sample.pods(), value.applyAsDouble(sample)))
                .toList();
        return points.size() < FEWEST_POINTS ? null : Trend.of(points);
    }

    ComponentSample lastSample() {
        return samples.get(samples.size() - 1);
    }

    /** Returns the first sample after the first third of the pods; the last one if there is none. */
    ComponentSample warmSample(int pods) {
        return samples.stream()
                .filter(sample -> sample.pods() >= pods * WARM_UP)
                .findFirst()
                .orElse(lastSample());
    }

    List<GrowthTarget> targets() {
        return List.of(
                GrowthTarget.of("live heap, " + name, heap, FLAT_HEAP),
                GrowthTarget.of("RSS, " + name, resident, FLAT_RESIDENT));
    }
}
