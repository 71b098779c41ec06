package dev.trainyard.bench.scale;

import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.local.SimulatedMachines;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The pools, tiers and pods of the benchmark. Usual pods request 1, 2 or 4 GPUs of the pools whose nodes always exist. Burst pods come in
 * waves, and each takes all GPUs of a node of the elastic pool. The pool gets these nodes in a wave, and loses them before the next wave.
 */
final class ScaleObjects {

    static final String NAMESPACE = "training";
    /** The pod whose changes the lag of watches is measured with. No scheduler places this pod. */
    static final String MARKER = "marker";

    static final String ELASTIC = "elastic";

    private static final int FIXED_POOLS = 10;
    private static final List<Integer> GPUS = List.of(1, 2, 1, 4, 1, 2, 1, 4);
    private static final int GPUS_OF_NODE = 8;
    private static final Duration BURST_LIFE = Duration.ofSeconds(20);
    /** The time for which a burst pod occupies a node: the node's start and the pod's life. */
    private static final double BURST_SECONDS = 30;

    private static final double MOST_BURST = 0.2;
    private static final int FEWEST_WAVES = 3;
    private static final Duration WAVE = Duration.ofMinutes(2);

    private final ScaleBenchOptions options;
    private final long podsOfWave;
    private final int burstEvery;

    ScaleObjects(ScaleBenchOptions options) {
        this.options = options;
        long waves = Math.max(FEWEST_WAVES, options.time().dividedBy(WAVE));
        podsOfWave = options.pods() / waves;
        // As many burst pods as the elastic nodes can run one after the other.
        double share = Math.min(MOST_BURST, options.elasticNodes() / (BURST_SECONDS * options.podsPerSecond()));
        burstEvery = (int) Math.ceil(1 / share);
    }

    /** Returns all pools and tiers, in YAML. */
    String policy() {
        var text = new StringBuilder();
        var fixed = new ArrayList<String>();
        int left = options.fixedNodes();
        for (int number = 0; number < FIXED_POOLS; number++) {
            var name = "fixed-" + number;
            int size = left / (FIXED_POOLS - number);
            left -= size;
            fixed.add(name);
            text.append(pool(name, size, size));
        }
        text.append(pool(ELASTIC, 0, options.elasticNodes()));
        text.append(tier("usual", fixed));
        var reversed = new ArrayList<>(fixed);
        Collections.reverse(reversed);
        text.append(tier("reversed", reversed));
        text.append(tier("burst", List.of(ELASTIC)));
        return text.toString();
    }

    private static String pool(String name, int min, int max) {
        return resource("pool.yaml")
                .replace("${name}", name)
                .replace("${min}", Integer.toString(min))
                .replace("${max}", Integer.toString(max));
    }

    private static String tier(String name, List<String> pools) {
        return """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec:
                  pools: [%s]
                  driver: {mode: hostPath, version: "384"}
                ---
                """.formatted(name, String.join(", ", pools));
    }

    /** Returns FlowSchemas with which the API server counts the requests of each component. */
    static String flowSchemas() {
        return resource("flow-schemas.yaml");
    }

    /** Whether the pod is in the first half of a wave, and among its burst pods. */
    private boolean isBurst(int number) {
        return number % podsOfWave < podsOfWave / 2 && number % burstEvery == 0;
    }

    /** Returns the number of burst pods of the whole run. */
    int burstPods() {
        return (int) IntStream.range(0, options.pods()).filter(this::isBurst).count();
    }

    /** Returns a pod as its author writes it. The webhook adds the rest. */
    Pod pod(int number) {
        boolean burst = isBurst(number);
        int gpus = burst ? GPUS_OF_NODE : GPUS.get(number % GPUS.size());
        var tier = burst ? "burst" : number / GPUS.size() % 2 == 0 ? "usual" : "reversed";
        var life = burst ? BURST_LIFE : options.life();
        return pod("train-%06d".formatted(number), Names.SCHEDULER, gpus)
                .editMetadata()
                .addToAnnotations(Names.TIER, tier)
                .addToAnnotations(SimulatedMachines.DURATION_ANNOTATION, life.toSeconds() + "s")
                .endMetadata()
                .build();
    }

    static Pod marker() {
        return pod(MARKER, "none", 0).build();
    }

    private static PodBuilder pod(String name, String scheduler, int gpus) {
        var requests = gpus == 0
                ? Map.of("cpu", new Quantity("1"))
                : Map.of(
                        "cpu",
                        new Quantity(Integer.toString(4 * gpus)),
                        "memory",
                        new Quantity(32 * gpus + "Gi"),
                        ResourceNames.GPU,
                        new Quantity(Integer.toString(gpus)));
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .addToLabels("app", "train")
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withSchedulerName(scheduler)
                .addNewContainer()
                .withName("tensorflow")
                .withImage("tensorflow/tensorflow:latest-gpu")
                .withCommand("python", "train.py")
                .withNewResources()
                .withRequests(requests)
                .withLimits(gpus == 0 ? Map.of() : Map.of(ResourceNames.GPU, requests.get(ResourceNames.GPU)))
                .endResources()
                .endContainer()
                .endSpec();
    }

    private static String resource(String name) {
        try (InputStream file = Objects.requireNonNull(ScaleObjects.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
