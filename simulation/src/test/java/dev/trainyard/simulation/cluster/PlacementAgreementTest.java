package dev.trainyard.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ScaleDownSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks that the extender, the planner and consolidation agree with the policy about every pod and node. Nodes have enough capacity for
 * all pods, and pools cannot grow, so that nothing else decides. Some nodes have the label of their pool; others are recognised by the
 * promises of pools.
 */
class PlacementAgreementTest {

    private static final int CLUSTERS = 2_000;
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String LONG_AGO = "2026-01-01T06:00:00Z";

    /** The pool of the machine that consolidation may drain. */
    private static final String SOURCE = "source";

    @Test
    void extenderPlannerAndConsolidationAgreeWithThePolicy() {
        var seen = new TreeMap<String, Integer>();
        for (int seed = 0; seed < CLUSTERS; seed++) {
            var cluster = new RandomCluster(new Random(seed));
            for (var pod : cluster.pods) {
                for (var node : cluster.nodes) {
                    var where = "seed %d, %s, pod %s on node %s"
                            .formatted(seed, cluster.catalogue.cpuPodsOnGpuNodes(), pod, node);
                    var policy = cluster.policy(pod, node);
                    assertThat(cluster.extender(pod, node))
                            .as("extender: " + where)
                            .isEqualTo(inExtender(policy));
                    boolean selected = cluster.isSelected(pod, node);
                    assertThat(cluster.planner(pod, node))
                            .as("planner: " + where)
                            .isEqualTo(selected && policy.isPossible());
                    assertThat(cluster.consolidation(pod, node))
                            .as("consolidation: " + where)
                            .isEqualTo(selected && policy == Access.ALLOWED);
                    seen.merge(policy + (selected ? "" : ", not selected"), 1, Integer::sum);
                }
            }
        }
        assertThat(seen.keySet())
                .contains("ALLOWED", "LAST_RESORT", "KEPT_FOR_GPU_PODS", "OUTSIDE_TIER", "ALLOWED, not selected");
        assertThat(seen.values()).allMatch(times -> times > 20);
    }

    @Test
    void noPodIsPlacedOnMachineThatTheCloudWillReclaim() {
        for (int seed = 0; seed < CLUSTERS / 10; seed++) {
            var cluster = new RandomCluster(new Random(seed));
            for (var pod : cluster.pods) {
                for (var node : cluster.nodes) {
                    var announced = new NodeBuilder(node)
                            .editStatus()
                            .addNewCondition()
                            .withType("PreemptScheduled")
                            .withStatus("True")
                            .endCondition()
                            .endStatus()
                            .build();
                    assertThat(cluster.extender(pod, announced)).contains(FilterRefusal.RECLAIM_ANNOUNCED);
                    assertThat(cluster.planner(pod, announced)).isFalse();
                    assertThat(cluster.consolidation(pod, announced)).isFalse();
                }
            }
        }
    }

    private static Optional<FilterRefusal> inExtender(Access access) {
        return switch (access) {
            case ALLOWED -> Optional.empty();
            case LAST_RESORT, KEPT_FOR_GPU_PODS -> Optional.of(FilterRefusal.KEPT_FOR_GPU_PODS);
            case OUTSIDE_TIER -> Optional.of(FilterRefusal.OUTSIDE_TIER);
        };
    }

    private static final class RandomCluster {

        private final Random random;
        private final Catalogue catalogue;
        private final List<Node> nodes;
        private final List<Pod> pods;

        RandomCluster(Random random) {
            this.random = random;
            var pools = new TreeMap<String, TrainingPoolSpec>();
            for (int i = 0; i <= random.nextInt(4); i++) {
                pools.put("pool-" + i, pool(random.nextInt(2) * 4, labels(i)));
            }
            var tiers = new TreeMap<String, TrainingTierSpec>();
            for (int i = 0; i < random.nextInt(3); i++) {
                var named = pools.keySet().stream()
                        .filter(name -> random.nextBoolean())
                        .toList();
                tiers.put(
                        "tier-" + i,
                        TrainingTierSpec.builder(named.isEmpty() ? List.of("pool-0") : named)
                                .build());
            }
            pools.put(SOURCE, pool(8, Map.of("only", "source")));
            var settings = List.of(CpuPodsOnGpuNodes.values());
            catalogue = Catalogue.of(pools, tiers).with(settings.get(random.nextInt(settings.size())));
            nodes = IntStream.range(0, 3).mapToObj(this::node).toList();
            pods = IntStream.range(0, 3).mapToObj(this::pod).toList();
        }

        Access policy(Pod pod, Node node) {
            var shape = NodeReader.shapeOf(node);
            return catalogue.policy().access(PodReader.shapeOf(pod), catalogue.poolOf(shape), shape);
        }

        /** Whether the scheduler's own filters accept the node for the pod. */
        boolean isSelected(Pod pod, Node node) {
            return Fit.checkPlacement(PodReader.shapeOf(pod), NodeReader.shapeOf(node))
                            .isEmpty()
                    && (PodReader.shapeOf(pod).gpus() == 0
                            || NodeReader.shapeOf(node).allocatable().gpus() > 0);
        }

        Optional<FilterRefusal> extender(Pod pod, Node node) {
            var index = new NodeIndex(InstantSource.system());
            index.configure(catalogue);
            index.put(node);
            IndexedState state =
                    Objects.requireNonNull(index.get(node.getMetadata().getName()));
            return new Filter(InstantSource.system()).refusal(TieredPod.of(PodFacts.of(pod), catalogue), state.look());
        }

        boolean planner(Pod pod, Node node) {
            return Planner.plan(snapshot(List.of(pod), List.of(node)))
                    .reserved()
                    .contains(name(node));
        }

        /** Whether the pod's machine is drained. It is drained if the pod may move to the node. */
        boolean consolidation(Pod pod, Node node) {
            var source = new NodeBuilder(bare("from", Map.of(Names.POOL, SOURCE), 8))
                    .editMetadata()
                    .addToAnnotations("trainyard.dev/usable-since", LONG_AGO)
                    .addToAnnotations("trainyard.dev/under-utilized-since", LONG_AGO)
                    .endMetadata()
                    .build();
            var moving = new PodBuilder(pod)
                    .editSpec()
                    .withNodeName("from")
                    .endSpec()
                    .withNewStatus()
                    .withPhase("Running")
                    .endStatus()
                    .build();
            var other = new PodBuilder(moving)
                    .editMetadata()
                    .withName("busy")
                    .withUid("uid-busy")
                    .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                    .endMetadata()
                    .editSpec()
                    .withNodeName(name(node))
                    .endSpec()
                    .build();
            var snapshot = snapshot(List.of(moving, other), List.of(source, node));
            return Lifecycle.judge(snapshot, Set.of()).stream()
                    .anyMatch(verdict ->
                            verdict.node().name().equals("from") && verdict.step() instanceof Verdict.Cordon);
        }

        private Snapshot snapshot(List<Pod> pods, List<Node> nodes) {
            var machines = new HashMap<String, List<Machine>>();
            for (var node : nodes) {
                catalogue
                        .poolOf(NodeReader.shapeOf(node))
                        .ifPresent(pool -> machines.computeIfAbsent(pool.name(), any -> new ArrayList<>())
                                .add(new Machine(
                                        name(node),
                                        node.getSpec().getProviderID(),
                                        null,
                                        Machine.State.RUNNING,
                                        Instant.parse(LONG_AGO))));
            }
            var readings = new HashMap<String, PoolReading>();
            catalogue.pools().keySet().forEach(pool -> {
                var ofPool = machines.getOrDefault(pool, List.of());
                readings.put(pool, PoolReading.of(new PoolState(ofPool.size(), ofPool, List.of())));
            });
            return new SnapshotReader(Names.NAMESPACE)
                    .read(NOW, catalogue, new KubernetesObjects(pods, nodes, List.of(), List.of()), readings, Map.of());
        }

        private static String name(Node node) {
            return node.getMetadata().getName();
        }

        /** Returns the labels of a pool: shared ones, its own, or none. */
        private Map<String, String> labels(int pool) {
            return switch (random.nextInt(3)) {
                case 0 -> Map.of();
                case 1 -> Map.of("kind", "shared");
                default -> Map.of("kind", "own-" + pool);
            };
        }

        private static TrainingPoolSpec pool(int gpus, Map<String, String> labels) {
            var amounts = new HashMap<>(
                    Map.of("cpu", new Quantity("64"), "memory", new Quantity("64Gi"), "pods", new Quantity("110")));
            if (gpus > 0) {
                amounts.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
            }
            return new TrainingPoolSpec(
                    new ProviderSpec(null, null, null, new Kwok(null, null, null, null)),
                    CapacityType.SPOT,
                    0,
                    2,
                    null,
                    new PromiseSpec(labels, List.of(), amounts, null, null),
                    null,
                    null,
                    new ScaleDownSpec("10m", "0.9", "0s", null));
        }

        /**
         * Returns a random node: one that matches a pool's promise, with or without the pool's label, or one without a pool, with or
         * without GPUs.
         */
        private Node node(int number) {
            var pools = catalogue.pools().values().stream()
                    .filter(pool -> !pool.name().equals(SOURCE))
                    .toList();
            var pool = pools.get(random.nextInt(pools.size()));
            return switch (random.nextInt(4)) {
                case 0 -> bare("node-" + number, Map.of(), random.nextInt(2) * 4L);
                case 1 -> bare("node-" + number, pool.ownLabels(), pool.promisedGpus());
                // A pool label set by a person, on a machine that has more than promised.
                case 2 -> bare("node-" + number, Map.of(Names.POOL, pool.name()), 4);
                default -> {
                    var labels = new HashMap<String, String>(pool.ownLabels());
                    labels.put(Names.POOL, pool.name());
                    yield bare("node-" + number, labels, pool.promisedGpus());
                }
            };
        }

        private static Node bare(String name, Map<String, String> labels, long gpus) {
            var amounts = new HashMap<>(
                    Map.of("cpu", new Quantity("64"), "memory", new Quantity("64Gi"), "pods", new Quantity("110")));
            if (gpus > 0) {
                amounts.put("nvidia.com/gpu", new Quantity(Long.toString(gpus)));
            }
            return new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .withUid("uid-" + name)
                    .withCreationTimestamp(LONG_AGO)
                    .withLabels(labels)
                    .withAnnotations(new HashMap<>())
                    .endMetadata()
                    .withNewSpec()
                    .withProviderID("kwok://" + name)
                    .endSpec()
                    .withNewStatus()
                    .withAllocatable(amounts)
                    .addNewCondition()
                    .withType("Ready")
                    .withStatus("True")
                    .endCondition()
                    .endStatus()
                    .build();
        }

        private Pod pod(int number) {
            var tiers = Stream.concat(catalogue.tiers().keySet().stream(), Stream.of("deleted"))
                    .toList();
            var tier = random.nextInt(3) == 0 ? null : tiers.get(random.nextInt(tiers.size()));
            return pod("pod-" + number, tier, random.nextInt(2), random.nextInt(4) == 0 ? "node-0" : null);
        }

        private static Pod pod(String name, @Nullable String tier, int gpus, @Nullable String pinned) {
            var builder = new PodBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .withNamespace("team")
                    .withUid("uid-" + name)
                    .withCreationTimestamp("2026-01-01T11:59:00Z")
                    .addToAnnotations(Names.RESUMABLE, "true")
                    .addNewOwnerReference()
                    .withApiVersion("batch/v1")
                    .withKind("Job")
                    .withName("job")
                    .withUid("uid-job")
                    .withController(true)
                    .endOwnerReference()
                    .endMetadata()
                    .withNewSpec()
                    .withSchedulerName(Names.SCHEDULER)
                    .addNewContainer()
                    .withName("main")
                    .withNewResources()
                    .addToRequests("cpu", new Quantity("1"))
                    .addToRequests("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
                    .endResources()
                    .endContainer()
                    .endSpec()
                    .withNewStatus()
                    .withPhase("Pending")
                    .addNewCondition()
                    .withType("PodScheduled")
                    .withStatus("False")
                    .withReason("Unschedulable")
                    .withMessage("0/1 nodes are available")
                    .endCondition()
                    .endStatus();
            if (tier != null) {
                builder.editMetadata().addToAnnotations(Names.TIER, tier).endMetadata();
            }
            if (pinned != null) {
                builder.editSpec()
                        .withNewAffinity()
                        .withNewNodeAffinity()
                        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .addNewNodeSelectorTerm()
                        .addNewMatchField()
                        .withKey("metadata.name")
                        .withOperator("In")
                        .withValues(pinned)
                        .endMatchField()
                        .endNodeSelectorTerm()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endNodeAffinity()
                        .endAffinity()
                        .endSpec();
            }
            return builder.build();
        }
    }
}
