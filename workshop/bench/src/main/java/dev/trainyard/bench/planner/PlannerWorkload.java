package dev.trainyard.bench.planner;

import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.Selector;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodRelationsIndex;
import dev.trainyard.scaler.observe.PodRelationsIndex.Neighbour;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Generated snapshots for the benchmark. The same seed gives the same snapshot. */
final class PlannerWorkload {

    private static final long GIBI = 1L << 30;
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    /** GPU counts of pods. One GPU is the most frequent count, as in published traces of training clusters. */
    private static final int[] GPUS = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8};

    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOST = "kubernetes.io/hostname";
    private static final List<String> ZONES = List.of("a", "b", "c");

    /** The number of pools. This number and the requests and labels below are those of Karpenter's benchmark. */
    private static final int TYPES = 400;

    private static final long[] CORES = {100, 250, 500, 1000, 1500};
    private static final long[] MEBIBYTES = {100, 256, 512, 1024, 2048, 4096};
    private static final String LETTERS = "abcdefg";

    private static final int FAMILIES = 7;
    private static final int SHAPES = 200;
    /** The number of pods in a gang. */
    private static final int MEMBERS = 8;

    private PlannerWorkload() {}

    /**
     * Returns the workload of Cluster Autoscaler's estimator benchmark ({@code BenchmarkBinpackingEstimate}): two kinds of pods on one kind
     * of machine. Requests and capacities are those of that benchmark.
     *
     * @param pods number of pods, 51,000 in the original workload; the two kinds keep their proportion
     */
    static Snapshot twoShapes(int pods) {
        var fleet = new WorkloadSnapshotBuilder(NOW);
        fleet.pool("machines", "1", Map.of(), Map.of("cpu", "1", "memory", "5000", "pods", "100"), pods);
        fleet.tier("any", List.of("machines"));
        int large = Math.max(1, pods / 51);
        var waiting = new ArrayList<PendingPod>(pods);
        for (int i = 0; i < pods; i++) {
            boolean isLarge = i < large;
            // A new shape for each pod, as if read from the API. Finding equal shapes is part of the measured work.
            waiting.add(pod(i, shape(isLarge ? 95 : 50, isLarge ? 190 : 100, 0, "any", Map.of())));
        }
        return fleet.snapshot(waiting);
    }

    /**
     * Returns a large GPU cluster with nearly full machines of several families and sizes, spot and on-demand, and pods of 200 shapes. Half
     * of the shapes have a tier, which selects their pools. Most of the other half may use any pool; the rest may use only the pools of one family.
     */
    static Snapshot gpus(int pods, int pools, int nodes, long seed) {
        return gpus(pods, pools, nodes, seed, 1, false);
    }

    /**
     * Returns such a cluster with 50 pools and 5,000 nodes, and gangs of eight equal pods.
     *
     * @param together whether the pods are in their gangs
     */
    static Snapshot gangs(int gangs, boolean together, long seed) {
        return gpus(gangs * MEMBERS, 50, 5_000, seed, MEMBERS, together);
    }

    /**
     * @param alike how many pods that follow each other have one shape
     * @param together whether these pods are a gang
     */
    private static Snapshot gpus(int pods, int pools, int nodes, long seed, int alike, boolean together) {
        var random = new Random(seed);
        var fleet = new WorkloadSnapshotBuilder(NOW);
        var names = new ArrayList<String>();
        for (int i = 0; i < pools; i++) {
            int family = (i / 2) % FAMILIES;
            int gpus = 1 << ((i / 2 / FAMILIES + 1) % 4);
            boolean spot = i % 2 == 0;
            var name = "f%d-%dg-%s-%02d".formatted(family, gpus, spot ? "spot" : "od", i);
            double price = gpus * (0.6 + 0.35 * family) * (spot ? 0.4 : 1) * (1 + 0.01 * (i % 5));
            fleet.pool(
                    name,
                    String.format(Locale.ROOT, "%.4f", price),
                    Map.of("family", "f" + family),
                    Map.of(
                            "cpu", gpus * (6 + family) + "",
                            "memory", gpus * (56 + 12 * family) + "Gi",
                            "pods", "110",
                            "nvidia.com/gpu", gpus + ""),
                    pods);
            names.add(name);
        }
        for (int i = 0; i < pools / 2; i++) {
            fleet.tier("tier-%02d".formatted(i), List.of(names.get(2 * i), names.get(2 * i + 1)));
        }
        for (int i = 0; i < nodes; i++) {
            // One node in fifty has free capacity for a pod.
            fleet.node(names.get(i % names.size()), i, i % 50 == 7 ? 0.5 : 1.0);
        }
        var shapes = new ArrayList<PodShape>();
        while (shapes.size() < SHAPES) {
            var shape = gpuShape(random, pools / 2);
            if (fleet.fitsFirstChoice(shape)) {
                shapes.add(shape);
            }
        }
        var waiting = new ArrayList<PendingPod>(pods);
        for (int first = 0; first < pods; first += alike) {
            var shape = shapes.get(random.nextInt(SHAPES));
            for (int i = first; i < first + alike; i++) {
                var pod = pod(i, copy(shape));
                waiting.add(together ? inGang("gang-" + first, pod) : pod);
            }
        }
        return fleet.snapshot(waiting);
    }

    private static PodShape gpuShape(Random random, int tiers) {
        int gpus = GPUS[random.nextInt(GPUS.length)];
        long cpu = gpus * (2000L + 500L * random.nextInt(17));
        long memory = gpus * (8 + 4L * random.nextInt(24)) * GIBI;
        int kind = random.nextInt(10);
        var tier = kind < 5 ? "tier-%02d".formatted(random.nextInt(tiers)) : null;
        Map<String, String> selector = kind == 9 ? Map.of("family", "f" + random.nextInt(FAMILIES)) : Map.of();
        return shape(cpu, memory, gpus, tier, selector);
    }

    /** Returns pods that all differ, on machines of four sizes. */
    static Snapshot distinct(int pods, long seed) {
        var random = new Random(seed);
        var fleet = new WorkloadSnapshotBuilder(NOW);
        for (int cores : new int[] {8, 16, 32, 64}) {
            fleet.pool(
                    "cpu-" + cores,
                    String.format(Locale.ROOT, "%.3f", cores * 0.05),
                    Map.of(),
                    Map.of("cpu", cores + "", "memory", cores * 4 + "Gi", "pods", "110"),
                    pods);
        }
        var waiting = new ArrayList<PendingPod>(pods);
        for (int i = 0; i < pods; i++) {
            // The last digits of the memory request make the pods distinct.
            long cpu = 100L + random.nextInt(6000);
            long memory = GIBI / 4 + (long) (random.nextDouble() * 20 * GIBI) + i;
            waiting.add(pod(i, shape(cpu, memory, 0, null, Map.of())));
        }
        return fleet.snapshot(waiting);
    }

    /** Returns Deployments of ten pods. Each Deployment is spread over hosts and over three zones. Each zone has one pool. */
    static Snapshot spread(int pods) {
        var fleet = new WorkloadSnapshotBuilder(NOW);
        for (var zone : ZONES) {
            fleet.pool(
                    "cpu-" + zone,
                    "0.8",
                    Map.of(ZONE, zone),
                    Map.of("cpu", "16", "memory", "64Gi", "pods", "110"),
                    pods);
        }
        var mix = new Mix(pods);
        for (int i = 0; i < pods; i++) {
            int deployment = i / 10;
            var own = Map.of("app", "app-" + deployment);
            mix.add(
                    shape(250L * (1 + deployment % 8), GIBI * (1 + deployment % 5), 0, null, Map.of()),
                    relations(own, List.of(), List.of(), List.of(spread(ZONE, own), spread(HOST, own))));
        }
        return fleet.snapshot(mix.pods, new PodRelationsIndex(mix.relations));
    }

    /**
     * Returns the mix of Karpenter's scheduling benchmark ({@code makeDiversePods} in {@code scheduling_benchmark_test.go}): pods without
     * constraints, spread over zones, spread over hosts, with affinity by host and by zone, and with anti-affinity by host. Requests and
     * labels are random, and so are the labels that a pod's constraints select. So few pods select themselves.
     */
    static Snapshot diverse(int pods, long seed) {
        var random = new Random(seed);
        var fleet = new WorkloadSnapshotBuilder(NOW);
        for (int cores = 1; cores <= TYPES; cores++) {
            fleet.pool(
                    "type-%03d".formatted(cores),
                    String.format(Locale.ROOT, "%.3f", cores * 0.05),
                    Map.of(ZONE, ZONES.get(cores % ZONES.size())),
                    Map.of("cpu", cores + "", "memory", cores * 2 + "Gi", "pods", cores * 10 + ""),
                    pods);
        }
        var mix = new Mix(pods);
        for (int i = 0; i < pods; i++) {
            long cpu = CORES[random.nextInt(CORES.length)];
            long memory = MEBIBYTES[random.nextInt(MEBIBYTES.length)] << 20;
            var own = Map.of("my-label", LETTERS.charAt(random.nextInt(LETTERS.length())) + "");
            var others = Map.of("my-label", LETTERS.charAt(random.nextInt(LETTERS.length())) + "");
            var affine = Map.of("my-affinity", LETTERS.charAt(random.nextInt(LETTERS.length())) + "");
            var near = Map.of("my-affinity", LETTERS.charAt(random.nextInt(LETTERS.length())) + "");
            var apart = Map.of("app", "nginx");
            var relations = switch (i * 6 / pods) {
                case 0 -> relations(own, List.of(), List.of(), List.of());
                case 1 -> relations(own, List.of(), List.of(), List.of(spread(ZONE, others)));
                case 2 -> relations(own, List.of(), List.of(), List.of(spread(HOST, others)));
                case 3 -> relations(affine, List.of(term(HOST, near)), List.of(), List.of());
                case 4 -> relations(affine, List.of(term(ZONE, near)), List.of(), List.of());
                default -> relations(apart, List.of(), List.of(term(HOST, apart)), List.of());
            };
            mix.add(shape(cpu, memory, 0, null, Map.of()), relations);
        }
        return fleet.snapshot(mix.pods, new PodRelationsIndex(mix.relations));
    }

    /** Pods with their relations to other pods: affinity, anti-affinity and spreading. */
    private static final class Mix {
        private final List<PendingPod> pods;
        private final Map<String, Neighbour> relations = new HashMap<>();

        Mix(int size) {
            pods = new ArrayList<>(size);
        }

        void add(PodShape shape, PodRelations relation) {
            var pod = pod(pods.size(), shape);
            pods.add(pod);
            relations.put(pod.uid(), new Neighbour(relation, Set.of()));
        }
    }

    private static PodRelations relations(
            Map<String, String> labels, List<PodTerm> affinity, List<PodTerm> anti, List<SpreadConstraint> spread) {
        return new PodRelations("bench", Map.of(), labels, affinity, anti, spread, new TreeSet<>());
    }

    private static SpreadConstraint spread(String key, Map<String, String> labels) {
        return new SpreadConstraint(key, selector(labels), 1, 1, true, false);
    }

    private static Selector selector(Map<String, String> labels) {
        return new Selector(labels.entrySet().stream()
                .map(label -> new LabelRequirement(label.getKey(), "In", List.of(label.getValue())))
                .toList());
    }

    private static PodTerm term(String key, Map<String, String> labels) {
        return new PodTerm(PodSet.in("bench", selector(labels)), key);
    }

    private static PendingPod pod(int number, PodShape shape) {
        var name = "pod-" + number;
        return new PendingPod(
                "uid-" + name, "bench", name, shape, 0, NOW.minusSeconds(number % 60), true, "0/1 nodes are available");
    }

    private static PendingPod inGang(String gang, PendingPod pod) {
        var view = new GangView(gang, gang, MEMBERS, "bench", true, Optional.empty(), false);
        return pod.withGang(Optional.of(view), pod.turn());
    }

    private static PodShape copy(PodShape shape) {
        return new PodShape(
                Resources.of(shape.requests().asMap()),
                shape.nodeSelector(),
                List.of(),
                List.of(),
                Set.of(),
                shape.tier(),
                GpuRequirement.NONE,
                new TreeSet<>());
    }

    private static PodShape shape(
            long cpu, long memory, int gpus, @Nullable String tier, Map<String, String> selector) {
        var requests = gpus == 0
                ? Map.of("cpu", cpu, "memory", memory, "pods", 1L)
                : Map.of("cpu", cpu, "memory", memory, "pods", 1L, "nvidia.com/gpu", (long) gpus);
        return new PodShape(
                Resources.of(requests),
                selector,
                List.of(),
                List.of(),
                Set.of(),
                tier,
                GpuRequirement.NONE,
                new TreeSet<>());
    }

    /** Returns the shape of a pod with resource requests only. */
    static PodShape shape(Resources requests) {
        return new PodShape(
                requests, Map.of(), List.of(), List.of(), Set.of(), null, GpuRequirement.NONE, new TreeSet<>());
    }
}
