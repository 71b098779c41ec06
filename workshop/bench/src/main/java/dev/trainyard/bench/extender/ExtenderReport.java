package dev.trainyard.bench.extender;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.ReferenceServer;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The results of {@link ExtenderBench}.
 *
 * @param machine CPUs, operating system and Java
 * @param jvmOptions JVM options of the extender and of the floor, a minimal extender for comparison
 * @param nodes number of nodes in the extender's cluster
 * @param comparisons with the floor, and also with Go unless Go is missing
 * @param cold first calls, in the same comparisons
 */
public record ExtenderReport(
        String machine,
        List<String> jvmOptions,
        int nodes,
        int rounds,
        double secondsPerRound,
        List<ExtenderComparison> comparisons,
        List<FirstCallLatencies> cold) {

    private static final int MANY = 5000;
    private static final int SOME = 1000;

    public ExtenderReport {
        jvmOptions = List.copyOf(jvmOptions);
        comparisons = List.copyOf(comparisons);
        cold = List.copyOf(cold);
    }

    /** Returns the goals for one call at a time, which is how the scheduler calls. Each goal is compared with the worst of the measured verbs. */
    @JsonProperty
    public List<Goal> targets() {
        return List.of(
                new Goal(
                        "p50 / floor, 5,000 names, serial (worse verb)",
                        worst(MANY, VerbComparison::p50Ratio),
                        1.4,
                        false),
                new Goal(
                        "p99 / floor, 5,000 names, serial (worse verb)",
                        worst(MANY, VerbComparison::p99Ratio),
                        2,
                        false),
                new Goal(
                        "p50 / floor, 1,000 names, serial (worse verb)",
                        worst(SOME, VerbComparison::p50Ratio),
                        1.3,
                        false));
    }

    private @Nullable Double worst(int names, ToDoubleFunction<VerbComparison> value) {
        var worst = comparisons.stream()
                .filter(c -> c.beside() == ReferenceServer.FLOOR && c.names() == names && c.connections() == 1)
                .flatMap(c -> c.verbs().stream())
                .mapToDouble(value)
                .max();
        return worst.isPresent() ? Double.valueOf(worst.getAsDouble()) : null;
    }
}
