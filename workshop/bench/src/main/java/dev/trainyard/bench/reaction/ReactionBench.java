package dev.trainyard.bench.reaction;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.ServerCommand;
import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark of the time from a pod's unschedulable condition to the scaler's call to its cloud, and from the notice of a reclaim to the call
 * and to the eviction. Watches of this program see all of them, so that one clock measures them. The simulated cloud is a ConfigMap. A call
 * reads and writes the ConfigMap, and takes as long as the API server needs. For comparison, the floor is a watch that makes the same read
 * and write as soon as it sees the condition. All traffic is on loopback. Not thread-safe.
 */
public final class ReactionBench implements AutoCloseable {

    private static final String READY = "scaler ready on ";
    private static final String CLOUD = "kwok-cloud-";
    private static final String FLOOR = "floor";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ReactionBenchOptions options;
    private final Consumer<String> progress;
    private final BenchProcesses site = new BenchProcesses();
    private final Moments moments = new Moments();
    private final ExecutorService floor = Executors.newSingleThreadExecutor();
    private @Nullable ReactionCluster ground;

    /** @param progress receives progress messages, one line each */
    public ReactionBench(ReactionBenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs all measurements that the options select.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException if the binaries of the control plane are unavailable
     * @throws dev.trainyard.local.ControlPlaneException if a control plane process does not start
     * @throws BenchException if the scaler does not start, or does not call its cloud
     */
    public ReactionReport run() {
        var on = ReactionCluster.start(options.manifests(), progress);
        ground = on;
        on.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(FLOOR)
                        .withNamespace(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        progress.accept("Starting the scaler");
        site.start(
                "scaler",
                ServerCommand.of(
                        options.jvm(),
                        options.scaler(),
                        "--kubeconfig=" + on.rightsOfScaler(),
                        "--tls-dir=" + site.directory("tls"),
                        "--listen=127.0.0.1:0",
                        "--batch-window=" + Durations.format(options.batchWindow())),
                READY);
        var watches = List.of(watchPods(on.client()), watchNodes(on.client()), watchConfigMaps(on.client()));
        try {
            return measure(on);
        } finally {
            watches.forEach(Watch::close);
        }
    }

    private ReactionReport measure(ReactionCluster on) {
        var reaction = new long[options.samples()];
        var bare = new long[options.samples()];
        int all = options.warmUp() + options.samples();
        for (int number = 0; number < all; number++) {
            if (number % 50 == 0) {
                progress.accept("%d of %d pods done".formatted(number, all));
            }
            var pod = "reaction-%05d".formatted(number);
            on.makePod(pod);
            long unschedulable = moments.await(pod + " to be unschedulable", TIMEOUT);
            long called = moments.await(requested(ReactionCluster.POOL, number + 1), TIMEOUT);
            long written = moments.await("the floor to write the name of pod " + pod, TIMEOUT);
            int sample = number - options.warmUp();
            if (sample >= 0) {
                reaction[sample] = called - unschedulable;
                bare[sample] = written - unschedulable;
            }
        }
        on.deletePods();
        var notice = measureNotices(on);
        return new ReactionReport(
                MachineDescription.inWords(),
                on.kubernetes(),
                ServerCommand.options(options.jvm()),
                options.samples(),
                options.batchWindow().toMillis(),
                Times.of(reaction),
                Times.of(bare),
                notice);
    }

    /** Announces the reclaim of one machine after the other. The replacement of a machine runs the training next. */
    private NoticeReaction measureNotices(ReactionCluster on) {
        var request = new long[options.samples()];
        var eviction = new long[options.samples()];
        int all = options.warmUp() + options.samples();
        on.startTraining();
        for (int number = 0; number < all; number++) {
            if (number % 50 == 0) {
                progress.accept("%d of %d notices done".formatted(number, all));
            }
            var node = "%s-%04d".formatted(ReactionCluster.RECLAIMED_POOL, number + 1);
            moments.await(running(node), TIMEOUT);
            on.announceReclaim(node);
            long announced = moments.await(announced(node), TIMEOUT);
            long called = moments.await(requested(ReactionCluster.RECLAIMED_POOL, number + 2), TIMEOUT);
            long evicted = moments.await(evicted(node), TIMEOUT);
            int sample = number - options.warmUp();
            if (sample >= 0) {
                request[sample] = called - announced;
                eviction[sample] = evicted - announced;
            }
        }
        return NoticeReaction.of(request, eviction);
    }

    private static String requested(String pool, long machine) {
        return "machine %d of pool %s to be requested".formatted(machine, pool);
    }

    private static String running(String node) {
        return "node %s to run the training".formatted(node);
    }

    private static String announced(String node) {
        return "the reclaim of node %s to be announced".formatted(node);
    }

    private static String evicted(String node) {
        return "the pod on node %s to be evicted".formatted(node);
    }

    private Watch watchPods(KubernetesClient client) {
        return client.pods().inNamespace(ReactionCluster.NAMESPACE).watch(new Seen<>(pod -> {
            if (isUnschedulable(pod)) {
                var name = pod.getMetadata().getName();
                moments.note(name + " to be unschedulable");
                floor.execute(() -> write(client, name));
            }
            var node = pod.getSpec().getNodeName();
            if (node != null && pod.getMetadata().getDeletionTimestamp() != null) {
                moments.note(evicted(node));
            } else if (node != null && "Running".equals(pod.getStatus().getPhase())) {
                moments.note(running(node));
            }
        }));
    }

    private Watch watchNodes(KubernetesClient client) {
        return client.nodes().watch(new Seen<>(node -> {
            if (ReactionCluster.isAnnounced(node)) {
                moments.note(announced(node.getMetadata().getName()));
            }
        }));
    }

    private static boolean isUnschedulable(Pod pod) {
        return pod.getStatus() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> "PodScheduled".equals(condition.getType())
                                && "False".equals(condition.getStatus())
                                && "Unschedulable".equals(condition.getReason()));
    }

    /** Reads and writes a ConfigMap, as the simulated cloud does. */
    private static void write(KubernetesClient client, String pod) {
        var map =
                client.configMaps().inNamespace(Names.NAMESPACE).withName(FLOOR).get();
        client.resource(new ConfigMapBuilder(map).withData(Map.of("pod", pod)).build())
                .lockResourceVersion(map.getMetadata().getResourceVersion())
                .update();
    }

    private Watch watchConfigMaps(KubernetesClient client) {
        return client.configMaps().inNamespace(Names.NAMESPACE).watch(new Seen<>(map -> {
            var data = map.getData() == null ? Map.<String, String>of() : map.getData();
            if (map.getMetadata().getName().equals(FLOOR) && data.containsKey("pod")) {
                moments.note("the floor to write the name of pod " + data.get("pod"));
            } else if (map.getMetadata().getName().startsWith(CLOUD)) {
                moments.note(requested(map.getMetadata().getName().substring(CLOUD.length()), ordered(map)));
            }
        }));
    }

    private static long ordered(ConfigMap cloud) {
        try {
            return JSON.readTree(cloud.getData().get("cloud.json"))
                    .path("ordered")
                    .asLong();
        } catch (JsonProcessingException e) {
            throw new BenchException("cannot parse cloud.json of the simulated cloud's ConfigMap", e);
        }
    }

    /** A watcher that passes on each added or modified object. */
    private record Seen<T>(Consumer<T> consumer) implements Watcher<T> {
        @Override
        public void eventReceived(Action action, T object) {
            if (action == Action.ADDED || action == Action.MODIFIED) {
                consumer.accept(object);
            }
        }

        @Override
        public void onClose(WatcherException problem) {
            // No further events arrive, so the wait for them times out.
        }
    }

    @Override
    public void close() {
        floor.shutdownNow();
        site.close();
        if (ground != null) {
            ground.close();
        }
    }
}
