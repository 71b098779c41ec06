package dev.trainyard.simulation.api;

import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.time.temporal.ChronoUnit;

/**
 * The objects of an API server, of the kinds that matter here. Every change of any object increases the version, as in etcd. Not
 * thread-safe.
 */
public final class ApiServer {

    private final VirtualTime time;
    private final Shelf<Pod> pods = new Shelf<>(this);
    private final Shelf<Node> nodes = new Shelf<>(this);
    private final Shelf<Namespace> namespaces = new Shelf<>(this);
    private final Shelf<DaemonSet> daemonSets = new Shelf<>(this);
    private final Shelf<PodDisruptionBudget> budgets = new Shelf<>(this);
    private final Shelf<TrainingPool> pools = new Shelf<>(this);
    private final Shelf<TrainingTier> tiers = new Shelf<>(this);
    private final Shelf<TrainingCluster> settings = new Shelf<>(this);
    private final Shelf<PriorityClass> priorityClasses = new Shelf<>(this);
    private long version;
    private long objects;

    public ApiServer(VirtualTime time) {
        this.time = time;
    }

    public Shelf<Pod> pods() {
        return pods;
    }

    public Shelf<Node> nodes() {
        return nodes;
    }

    public Shelf<Namespace> namespaces() {
        return namespaces;
    }

    public Shelf<DaemonSet> daemonSets() {
        return daemonSets;
    }

    public Shelf<PodDisruptionBudget> budgets() {
        return budgets;
    }

    public Shelf<TrainingPool> pools() {
        return pools;
    }

    public Shelf<TrainingTier> tiers() {
        return tiers;
    }

    public Shelf<TrainingCluster> settings() {
        return settings;
    }

    public Shelf<PriorityClass> priorityClasses() {
        return priorityClasses;
    }

    VirtualTime time() {
        return time;
    }

    /** Returns the time in Kubernetes' format, to the second. */
    public String now() {
        return time.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    String nextVersion() {
        return Long.toString(++version);
    }

    String nextUid() {
        return "00000000-0000-4000-8000-%012d".formatted(++objects);
    }
}
