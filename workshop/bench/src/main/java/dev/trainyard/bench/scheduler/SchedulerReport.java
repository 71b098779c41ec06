package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * The results of {@link SchedulerBench}.
 *
 * @param machine CPUs, operating system and Java
 * @param kubernetes version such as {@code 1.36.3}
 * @param jvmOptions JVM options of the extender
 * @param comparisons one comparison for each API rate limit; the first limit is too high to limit the scheduler
 */
public record SchedulerReport(
        String machine, String kubernetes, List<String> jvmOptions, int nodes, List<SchedulerComparison> comparisons) {

    private static final double ENOUGH = 0.9;

    public SchedulerReport {
        jvmOptions = List.copyOf(jvmOptions);
        comparisons = List.copyOf(comparisons);
    }

    @JsonProperty
    public List<Goal> targets() {
        var first = comparisons.get(0);
        return List.of(new Goal(
                "pods/s with the extender / without, %,d nodes".formatted(nodes), first.ratio(), ENOUGH, true));
    }
}
