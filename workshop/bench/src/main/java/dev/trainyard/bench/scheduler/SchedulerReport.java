package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * The results of {@link SchedulerBench}.
 *
 * @param profile the measured profile
 * @param machine CPUs, operating system and Java
 * @param kubernetes version such as {@code 1.36.3}
 * @param jvmOptions JVM options of the extender
 * @param comparisons one comparison for each API rate limit; the first limit is too high to limit the scheduler
 */
public record SchedulerReport(
        MeasuredProfile profile,
        String machine,
        String kubernetes,
        List<String> jvmOptions,
        int nodes,
        List<SchedulerComparison> comparisons) {

    public SchedulerReport {
        jvmOptions = List.copyOf(jvmOptions);
        comparisons = List.copyOf(comparisons);
    }

    @JsonProperty
    public List<Goal> targets() {
        var first = comparisons.get(0);
        return List.of(new Goal(
                "pods/s with %s / without, %,d nodes".formatted(profile.side(), nodes),
                first.ratio(),
                profile.target(),
                true));
    }
}
