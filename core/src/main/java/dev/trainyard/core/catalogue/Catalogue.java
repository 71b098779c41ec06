package dev.trainyard.core.catalogue;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * All usable pools and tiers, and the problems of unusable pools and tiers. An invalid object does not prevent the use of other objects.
 *
 * @param cpuPodsOnGpuNodes whether pods that request no GPU may use GPU nodes
 * @param notices the signs on nodes by which clouds and tools announce that a machine will be gone
 * @param noticeQueues the queues from which the scaler reads such signs
 */
public record Catalogue(
        SortedMap<String, Pool> pools,
        SortedMap<String, Tier> tiers,
        List<Problem> problems,
        CpuPodsOnGpuNodes cpuPodsOnGpuNodes,
        NoticeTable notices,
        List<NoticeQueueSpec> noticeQueues) {

    public static final Catalogue EMPTY = new Catalogue(new TreeMap<>(), new TreeMap<>(), List.of());

    public Catalogue {
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        tiers = Collections.unmodifiableSortedMap(new TreeMap<>(tiers));
        problems = List.copyOf(problems);
        noticeQueues = List.copyOf(noticeQueues);
    }

    /** Creates a catalogue with the default settings of the cluster. */
    public Catalogue(SortedMap<String, Pool> pools, SortedMap<String, Tier> tiers, List<Problem> problems) {
        this(pools, tiers, problems, CpuPodsOnGpuNodes.NEVER, NoticeTable.BUILT_IN, List.of());
    }

    /** Returns this catalogue with another setting for CPU-only pods on GPU nodes. */
    public Catalogue with(CpuPodsOnGpuNodes setting) {
        return new Catalogue(pools, tiers, problems, setting, notices, noticeQueues);
    }

    /**
     * Returns this catalogue with the settings of the cluster. Invalid settings become a problem of the catalogue, and their defaults
     * apply.
     *
     * @param name the name of the object that holds the settings
     */
    public Catalogue with(String name, TrainingClusterSpec settings) {
        var cpuPods = settings.cpuPodsOnGpuNodes() == null ? cpuPodsOnGpuNodes : settings.cpuPodsOnGpuNodes();
        var more = new ArrayList<>(problems);
        return new Catalogue(
                pools,
                tiers,
                more,
                cpuPods,
                orReport(() -> NoticeEntries.table(settings), notices, name, more),
                orReport(() -> NoticeEntries.queues(settings), noticeQueues, name, more));
    }

    /** Returns the result of a reading; if the settings are invalid, adds a problem and returns {@code otherwise}. */
    private static <T> T orReport(Supplier<T> reading, T otherwise, String name, List<Problem> problems) {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) {
            problems.add(new Problem("TrainingCluster", name, String.valueOf(e.getMessage())));
            return otherwise;
        }
    }

    /** Returns the policy that decides which nodes a pod may use, depending on the pod's tier and GPUs. */
    public PlacementPolicy policy() {
        return new PlacementPolicy(tiers, cpuPodsOnGpuNodes);
    }

    /** Checks all specs, and creates a catalogue of the valid specs. The keys of both maps are the names of the objects. */
    public static Catalogue of(Map<String, TrainingPoolSpec> poolSpecs, Map<String, TrainingTierSpec> tierSpecs) {
        return of(poolSpecs, tierSpecs, List.of(), MachineSizes.builtIn());
    }

    /**
     * Checks all specs, and creates a catalogue of the valid specs. The keys of both maps are the names of the objects.
     *
     * @param unreadable problems of objects whose specs could not be read
     * @param sizes machine sizes that pools may name
     */
    public static Catalogue of(
            Map<String, TrainingPoolSpec> poolSpecs,
            Map<String, TrainingTierSpec> tierSpecs,
            List<Problem> unreadable,
            MachineSizes sizes) {
        var problems = new ArrayList<>(unreadable);
        var poolNames = new HashSet<>(poolSpecs.keySet());
        unreadable.stream()
                .filter(problem -> problem.kind().equals("TrainingPool"))
                .forEach(problem -> poolNames.add(problem.name()));
        var pools = new TreeMap<String, Pool>();
        new TreeMap<>(poolSpecs).forEach((name, spec) -> {
            try {
                pools.put(name, Pool.of(name, spec, sizes));
            } catch (IllegalArgumentException e) {
                problems.add(new Problem("TrainingPool", name, String.valueOf(e.getMessage())));
            }
        });
        var shared = SharedResources.problems(pools.values());
        shared.forEach(problem -> pools.remove(problem.name()));
        problems.addAll(shared);
        var tiers = new TreeMap<String, Tier>();
        new TreeMap<>(tierSpecs).forEach((name, spec) -> {
            try {
                var tier = Tier.of(name, spec, pools);
                tiers.put(name, tier);
                unknownPools(spec, poolNames, pools)
                        .forEach(message -> problems.add(new Problem("TrainingTier", name, message)));
            } catch (IllegalArgumentException e) {
                problems.add(new Problem("TrainingTier", name, String.valueOf(e.getMessage())));
            }
        });
        return new Catalogue(pools, tiers, problems);
    }

    private static List<String> unknownPools(TrainingTierSpec spec, Set<String> poolNames, Map<String, Pool> pools) {
        return spec.pools().stream()
                .filter(name -> !pools.containsKey(name))
                .map(name -> poolNames.contains(name)
                        ? "spec.pools: TrainingPool '%s' cannot be used until it is fixed".formatted(name)
                        : "spec.pools: there is no TrainingPool '%s'; there are: %s"
                                .formatted(name, pools.isEmpty() ? "none" : String.join(", ", pools.keySet())))
                .toList();
    }

    /**
     * Returns the pool that a node belongs to. The pool label of the node decides. If the node has no pool label, its other labels decide:
     * a pool matches if it promises labels and the node has all of these labels.
     *
     * <p>If several pools match, the most specific pool is chosen. The most specific pool promises all labels of every other matching pool,
     * and at least one more. If there is no such pool, the node belongs to no pool, because a wrong pool would be worse than none.
     */
    public Optional<Pool> poolOf(NodeShape node) {
        var labelled = node.labels().get(Names.POOL);
        if (labelled != null) {
            return Optional.ofNullable(pools.get(labelled));
        }
        var kept =
                pools.values().stream().filter(pool -> keepsPromise(pool, node)).toList();
        return kept.stream()
                .filter(pool -> kept.stream().allMatch(other -> other.equals(pool) || isMoreSpecific(pool, other)))
                .findFirst();
    }

    /** Returns the pools that a node without a pool label may belong to: the pools whose promised labels are all on the node. */
    public List<Pool> candidates(NodeShape node) {
        return pools.values().stream()
                .filter(pool ->
                        node.labels().entrySet().containsAll(pool.ownLabels().entrySet()))
                .toList();
    }

    private static boolean keepsPromise(Pool pool, NodeShape node) {
        var promised = pool.ownLabels();
        return !promised.isEmpty() && node.labels().entrySet().containsAll(promised.entrySet());
    }

    private static boolean isMoreSpecific(Pool pool, Pool other) {
        var labels = pool.ownLabels();
        var others = other.ownLabels();
        return labels.size() > others.size() && labels.entrySet().containsAll(others.entrySet());
    }
}
