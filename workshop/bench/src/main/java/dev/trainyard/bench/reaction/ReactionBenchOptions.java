package dev.trainyard.bench.reaction;

import java.time.Duration;
import java.util.List;

/**
 * The options of {@link ReactionBench}.
 *
 * @param jvm program and options that start a JVM with the class path of the scaler
 * @param scaler the rest of the command line that starts the scaler: main class and command
 * @param manifests YAML that is installed first: the namespace, the CustomResourceDefinitions and the scaler's RBAC rules
 * @param samples number of measured pods, one after the other
 * @param batchWindow time for which the scaler waits for more pods before it plans
 */
public record ReactionBenchOptions(
        List<String> jvm, List<String> scaler, List<String> manifests, int samples, Duration batchWindow) {

    private static final int MOST_SAMPLES = 2000;

    public ReactionBenchOptions {
        jvm = List.copyOf(jvm);
        scaler = List.copyOf(scaler);
        manifests = List.copyOf(manifests);
        if (samples < 2 || samples > MOST_SAMPLES) {
            throw new IllegalArgumentException(
                    "--samples: %d is not a number from 2 to %d".formatted(samples, MOST_SAMPLES));
        }
        if (batchWindow.isNegative()) {
            throw new IllegalArgumentException("--batch-window: expected 0s or more, but the duration is negative");
        }
    }

    /** Returns the number of pods before the first measured pod. While the scaler handles these pods, its JVM optimises the code. */
    int warmUp() {
        return Math.max(2, samples / 10);
    }
}
