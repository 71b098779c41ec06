package dev.trainyard.scaler.dryrun;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A read-only view of a cluster. The times that a scaler would write on nodes are kept in memory. Without these times, no node would count
 * as idle for long enough to be removed. All other writes are dropped, so the next round makes the same decisions again.
 */
public final class DryCluster implements Cluster {

    private final Cluster real;
    /** The changes of annotations that were not written, by UID of the node. */
    private final Map<String, Map<String, Optional<String>>> notes = new HashMap<>();

    private final Map<String, String> uids = new HashMap<>();

    public DryCluster(Cluster real) {
        this.real = real;
    }

    @Override
    public View view() {
        var view = real.view();
        uids.clear();
        view.nodes()
                .forEach(node -> uids.put(
                        node.getMetadata().getName(),
                        String.valueOf(node.getMetadata().getUid())));
        notes.keySet().retainAll(uids.values());
        var objects = view.objects();
        return new View(
                view.catalogue(),
                view.pools(),
                view.tiers(),
                new KubernetesObjects(
                        objects.pods(),
                        objects.nodes().stream().map(this::noted).toList(),
                        objects.daemonSets(),
                        objects.budgets(),
                        objects.namespaceLabels(),
                        objects.gangObjects()),
                view.namespaces());
    }

    private Node noted(Node node) {
        var added = notes.get(String.valueOf(node.getMetadata().getUid()));
        if (added == null) {
            return node;
        }
        var annotations = new HashMap<String, String>(
                Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of()));
        added.forEach(
                (name, value) -> value.ifPresentOrElse(v -> annotations.put(name, v), () -> annotations.remove(name)));
        return new NodeBuilder(node)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .build();
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        if (!annotations.containsKey(ScalerAnnotations.TERMINATING)) {
            notes.computeIfAbsent(uids.getOrDefault(node, ""), uid -> new HashMap<>())
                    .putAll(annotations);
        }
    }

    @Override
    public void label(String node, Map<String, String> labels) {}

    @Override
    public void cordon(String node, Removal removal) {}

    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {}

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {}

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {}

    @Override
    public void removeGate(PendingPod pod) {}

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        return true;
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return real.podsOn(node);
    }

    @Override
    public void delete(String node, String uid) {}

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {}

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {}
}
