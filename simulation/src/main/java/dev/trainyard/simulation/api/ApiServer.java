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
 * An API server with the kinds of objects that a simulation needs. All objects share one version counter, which every change increases, as
 * in etcd. Not thread-safe.
 */
public final class ApiServer {

    private final VirtualTime time;
    private final ObjectStore<Pod> pods = new ObjectStore<>(this);
    private final ObjectStore<Node> nodes = new ObjectStore<>(this);
    private final ObjectStore<Namespace> namespaces = new ObjectStore<>(this);
    private final ObjectStore<DaemonSet> daemonSets = new ObjectStore<>(this);
    private final ObjectStore<PodDisruptionBudget> budgets = new ObjectStore<>(this);
    private final ObjectStore<TrainingPool> pools = new ObjectStore<>(this);
    private final ObjectStore<TrainingTier> tiers = new ObjectStore<>(this);
    private final ObjectStore<TrainingCluster> settings = new ObjectStore<>(this);
    private final ObjectStore<PriorityClass> priorityClasses = new ObjectStore<>(this);
    private long version;
    private long objects;

    public ApiServer(VirtualTime time) {
        this.time = time;
    }

    public ObjectStore<Pod> pods() {
        return pods;
    }

    public ObjectStore<Node> nodes() {
        return nodes;
    }

    public ObjectStore<Namespace> namespaces() {
        return namespaces;
    }

    public ObjectStore<DaemonSet> daemonSets() {
        return daemonSets;
    }

    public ObjectStore<PodDisruptionBudget> budgets() {
        return budgets;
    }

    public ObjectStore<TrainingPool> pools() {
        return pools;
    }

    public ObjectStore<TrainingTier> tiers() {
        return tiers;
    }

    public ObjectStore<TrainingCluster> settings() {
        return settings;
    }

    public ObjectStore<PriorityClass> priorityClasses() {
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
