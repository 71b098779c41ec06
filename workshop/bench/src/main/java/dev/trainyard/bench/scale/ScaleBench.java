package dev.trainyard.bench.scale;

import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.bench.measure.MetricsPage;
import dev.trainyard.bench.measure.Percentiles;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.ClusterPreparation;
import dev.trainyard.bench.process.ProcessStatus;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A benchmark of all components in a large cluster whose pods and nodes come and go. It samples each component's memory, threads, files and
 * watch lag at regular intervals. The scaler creates all nodes. Not thread-safe.
 */
public final class ScaleBench {

    /** A full garbage collection stops a component, so only some samples collect the garbage. */
    private static final int SAMPLES_PER_COLLECTION = 4;

    private static final Duration SET_UP = Duration.ofMinutes(30);
    private static final Duration LAST_PODS = Duration.ofMinutes(10);
    private static final Duration SERVICE_ACCOUNT = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int PROGRESS_LINES = 30;
    private static final double MEBI = 1 << 20;

    private final ScaleBenchOptions options;
    private final ScaleObjects objects;
    private final ScaleSubject subject;
    private final KubernetesClient client;
    private final Consumer<String> progress;
    private final Map<String, List<ComponentSample>> samples = new HashMap<>();
    /** The first histogram after the first third of the run, by component. */
    private final Map<String, ClassHistogram> before = new HashMap<>();

    private final Map<String, ClassHistogram> last = new HashMap<>();

    /** @param progress receives progress messages, one line each */
    public ScaleBench(ScaleBenchOptions options, ScaleSubject subject, Consumer<String> progress) {
        this.options = options;
        this.objects = new ScaleObjects(options);
        this.subject = subject;
        this.client = subject.client();
        this.progress = progress;
    }

    /**
     * Creates nodes and pods, and samples the components until all pods have ended.
     *
     * @throws BenchException if nodes do not join, pods do not end, or a component ends
     */
    public ScaleReport run() {
        long start = System.nanoTime();
        setUp();
        double setUpSeconds = Duration.ofNanos(System.nanoTime() - start).toMillis() / 1e3;
        progress.accept("Set-up took %.0f s. Creating %,d pods, %.1f a second; %,d of them take a whole node"
                .formatted(setUpSeconds, options.pods(), options.podsPerSecond(), objects.burstPods()));
        var first = pages();
        var calls = ApiCalls.read(client);
        try (var churn = new PodChurn(client, objects, options)) {
            churn.start();
            observe(churn);
            progress.accept("All pods are created; waiting until the last ones have ended");
            await("the last pods to end", LAST_PODS, () -> {
                churn.check();
                return churn.hasEnded();
            });
            return new ScaleReport(
                    MachineDescription.inWords(),
                    subject.controlPlane().version().full(),
                    options.fixedNodes(),
                    options.elasticNodes(),
                    options.pods(),
                    options.time().toMillis() / 1e3,
                    setUpSeconds,
                    churn.elapsed().toMillis() / 1e3,
                    Percentiles.ofMillis(churn.startMillis()),
                    ServerFigures.between(first, pages()),
                    components(ApiCalls.read(client).since(calls)));
        }
    }

    private List<ComponentReport> components(ApiCalls calls) {
        return subject.components().stream()
                .map(component -> ComponentReport.of(
                        component.name(),
                        Objects.requireNonNull(samples.get(component.name())),
                        options.pods(),
                        calls.of(component.name()),
                        component.name().equals(ScaleSubject.SCALER) ? calls.ofSimulatedCloud() : 0,
                        growth(component.name())))
                .toList();
    }

    private List<ClassGrowth> growth(String component) {
        var early = before.get(component);
        var late = last.get(component);
        return early == null || late == null ? List.of() : late.growthSince(early, ComponentReport.SHOWN_CLASSES);
    }

    private void setUp() {
        Definitions.awaitEstablished(client, "trainingpools.trainyard.dev", "trainingtiers.trainyard.dev");
        var preparation = new ClusterPreparation(client);
        preparation.apply(ScaleObjects.flowSchemas());
        preparation.createNamespace(ScaleObjects.NAMESPACE, SERVICE_ACCOUNT);
        client.resource(ScaleObjects.marker()).create();
        progress.accept("Waiting until the scaler has created %,d nodes".formatted(options.fixedNodes()));
        preparation.apply(objects.policy());
        await(
                "%,d nodes to be usable".formatted(options.fixedNodes()),
                SET_UP,
                // The list of all nodes is large, so it is read only when the scaler uses all nodes.
                () -> usedNodes() >= options.fixedNodes()
                        && client.nodes().list().getItems().stream()
                                        .filter(ScaleBench::isUsable)
                                        .count()
                                >= options.fixedNodes());
        double rounds = rounds();
        await("two rounds of the scaler, in which it marks the new nodes", SET_UP, () -> rounds() >= rounds + 2);
    }

    /** Returns the number of nodes that have registered, as the scaler sees them. */
    private double usedNodes() {
        var page = MetricsPage.read(component(ScaleSubject.SCALER).metrics());
        return page.sum("trainyard_scaler_nodes") - page.sum("trainyard_scaler_nodes", "state=\"registering\"");
    }

    private double rounds() {
        return MetricsPage.read(component(ScaleSubject.SCALER).metrics()).sum("trainyard_scaler_round_seconds_count");
    }

    /** Whether the node is usable and has its GPUs. */
    private static boolean isUsable(Node node) {
        return ClusterPreparation.isUsable(node)
                && node.getStatus().getAllocatable().containsKey(ResourceNames.GPU);
    }

    private ScaleSubject.Component component(String name) {
        return subject.components().stream()
                .filter(component -> component.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the installation has no " + name));
    }

    private Map<String, MetricsPage> pages() {
        var pages = new HashMap<String, MetricsPage>();
        subject.components().forEach(component -> pages.put(component.name(), MetricsPage.read(component.metrics())));
        return pages;
    }

    /** Samples all components until the last pod is created. */
    private void observe(PodChurn churn) {
        var lag = new WatchLag(client, subject.components());
        long interval = options.interval().toNanos();
        long shown = 0;
        for (int number = 0; !churn.hasCreatedAll(); number++) {
            long next = number * interval;
            sleep(next - churn.elapsed().toNanos());
            churn.check();
            var lags = lag.measure(number);
            boolean collects = number % SAMPLES_PER_COLLECTION == 0;
            subject.components()
                    .forEach(component -> samples.computeIfAbsent(component.name(), name -> new ArrayList<>())
                            .add(sample(component, churn, collects, lags.getOrDefault(component.name(), 0.0))));
            long due =
                    PROGRESS_LINES * churn.elapsed().toNanos() / options.time().toNanos();
            if (collects && due >= shown) {
                shown = due + 1;
                show(churn);
            }
        }
    }

    private ComponentSample sample(
            ScaleSubject.Component component, PodChurn churn, boolean collects, double lagMillis) {
        var histogram = collects ? ClassHistogram.of(component.pid()) : null;
        if (histogram != null) {
            last.put(component.name(), histogram);
            if (churn.created() >= options.pods() * ComponentReport.WARM_UP) {
                before.putIfAbsent(component.name(), histogram);
            }
        }
        var status = ProcessStatus.of(component.pid());
        if (status == null) {
            throw new BenchException("/proc has no status of the %s (process %d); this benchmark needs Linux"
                    .formatted(component.name(), component.pid()));
        }
        return new ComponentSample(
                churn.elapsed().toMillis() / 1e3,
                churn.created(),
                status.residentBytes() / MEBI,
                histogram == null ? null : histogram.bytes() / MEBI,
                status.threads(),
                status.descriptors(),
                ProcessHandle.of(component.pid())
                                .flatMap(handle -> handle.info().totalCpuDuration())
                                .orElse(Duration.ZERO)
                                .toMillis()
                        / 1e3,
                lagMillis);
    }

    private void show(PodChurn churn) {
        var line = new StringBuilder("%4d s: %,d pods created, %,d ended; heap/RSS in MiB:"
                .formatted(churn.elapsed().toSeconds(), churn.created(), churn.ended()));
        subject.components().forEach(component -> {
            var all = Objects.requireNonNull(samples.get(component.name()));
            var sample = all.get(all.size() - 1);
            line.append(
                    " %s %.1f/%.0f".formatted(component.name(), sample.heapMebibytes(), sample.residentMebibytes()));
        });
        progress.accept(line.toString());
    }

    private static void await(String what, Duration timeout, BooleanSupplier condition) {
        ClusterPreparation.await(what, timeout, LOOK, condition);
    }

    private static void sleep(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
