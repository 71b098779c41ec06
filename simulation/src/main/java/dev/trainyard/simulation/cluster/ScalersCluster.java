package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.runtime.configuration.CatalogueCache;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.cluster.OwnWrites;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Informer;
import dev.trainyard.simulation.api.ObjectStore;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The cluster as one scaler process sees and changes it: through watches, which lag behind, and requests, which may conflict. */
public final class ScalersCluster implements Cluster {

    /** The watches of a scaler process. */
    public record Watched(
            Informer<Pod> pods,
            Informer<Node> nodes,
            Informer<DaemonSet> daemonSets,
            Informer<PodDisruptionBudget> budgets,
            Informer<TrainingPool> pools,
            Informer<TrainingTier> tiers,
            Informer<TrainingCluster> settings,
            Informer<Namespace> namespaces) {}

    private final ApiServer server;
    private final Evictions evictions;
    private final Watched watched;
    private final Interference interference;
    private final CatalogueCache catalogue = new CatalogueCache();
    private final OwnWrites<Node> nodes = new OwnWrites<>();
    private final OwnWrites<TrainingPool> pools = new OwnWrites<>();
    private final OwnWrites<TrainingTier> tiers = new OwnWrites<>();
    private final Map<String, String> seen = new HashMap<>();

    /** @param interference notified before each eviction and each deletion of a node */
    public ScalersCluster(ApiServer server, Evictions evictions, Watched watched, Interference interference) {
        this.server = server;
        this.evictions = evictions;
        this.watched = watched;
        this.interference = interference;
    }

    @Override
    public View view() {
        var poolObjects = byName(pools.over(List.copyOf(watched.pools().all())));
        var tierObjects = byName(tiers.over(List.copyOf(watched.tiers().all())));
        var nodeObjects = nodes.over(List.copyOf(watched.nodes().all()));
        seen.clear();
        nodeObjects.forEach(node ->
                seen.put(node.getMetadata().getName(), node.getMetadata().getResourceVersion()));
        return new View(
                catalogue.of(
                        poolObjects.values(),
                        tierObjects.values(),
                        watched.settings().all()),
                poolObjects,
                tierObjects,
                new KubernetesObjects(
                        List.copyOf(watched.pods().all()),
                        nodeObjects,
                        List.copyOf(watched.daemonSets().all()),
                        List.copyOf(watched.budgets().all()),
                        namespace -> facts(namespace).map(NamespaceFacts::labels),
                        GangObjects.NONE),
                this::facts);
    }

    private Optional<NamespaceFacts> facts(String namespace) {
        return watched.namespaces().get(namespace).map(FileNamespaces::factsOf);
    }

    private static <T extends HasMetadata> Map<String, T> byName(List<T> objects) {
        var byName = new HashMap<String, T>();
        objects.forEach(object -> byName.put(object.getMetadata().getName(), object));
        return byName;
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        decided(node, before -> {
            var changed = annotations(before);
            apply(annotations, changed);
            return new NodeBuilder(before)
                    .editMetadata()
                    .withAnnotations(changed)
                    .endMetadata()
                    .build();
        });
    }

    @Override
    public void label(String node, Map<String, String> labels) {
        decided(
                node,
                before -> new NodeBuilder(before)
                        .editMetadata()
                        .addToLabels(labels)
                        .endMetadata()
                        .build());
    }

    @Override
    public void cordon(String node, Removal removal) {
        decided(node, before -> Cordon.set(before, removal));
    }

    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {
        decided(
                node,
                before -> new NodeBuilder(Cordon.lift(before))
                        .editMetadata()
                        .addToAnnotations(idleSince
                                .map(since -> Map.of(ScalerAnnotations.IDLE_SINCE, since.toString()))
                                .orElse(Map.of()))
                        .endMetadata()
                        .build());
    }

    private static Map<String, String> annotations(Node node) {
        return new HashMap<>(
                Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of()));
    }

    private void decided(String node, UnaryOperator<Node> change) {
        written(server.nodes().change(node, seen.get(node), change));
    }

    private void written(Node node) {
        nodes.wrote(node);
        seen.put(node.getMetadata().getName(), node.getMetadata().getResourceVersion());
    }

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {
        change(pod.namespace() + "/" + pod.name(), pod.uid(), before -> {
            var changed = new HashMap<>(
                    Optional.ofNullable(before.getMetadata().getAnnotations()).orElse(Map.of()));
            apply(annotations, changed);
            return new PodBuilder(before)
                    .editMetadata()
                    .withAnnotations(changed)
                    .endMetadata()
                    .build();
        });
    }

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {
        change(pod.toString(), pod.uid(), before -> Pods.nominated(before, node.orElse(null)));
    }

    @Override
    public void removeGate(PendingPod pod) {
        change(pod.toString(), pod.uid(), Pods::ungated);
    }

    private void change(String key, String uid, UnaryOperator<Pod> change) {
        server.pods().change(key, null, before -> {
            if (!uid.equals(before.getMetadata().getUid())) {
                throw new ApiException(ApiException.CONFLICT, "pod " + key + " was replaced by a pod of the same name");
            }
            return change.apply(before);
        });
    }

    private static void apply(Map<String, Optional<String>> annotations, Map<String, String> to) {
        annotations.forEach((name, value) -> value.ifPresentOrElse(text -> to.put(name, text), () -> to.remove(name)));
    }

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        interference.evicts(pod);
        return evictions.evict(pod.namespace() + "/" + pod.name(), pod.uid(), grace);
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return SnapshotReader.onNode(
                server.pods().all().stream()
                        .filter(pod -> Pods.node(pod).filter(node::equals).isPresent())
                        .toList(),
                Names.NAMESPACE);
    }

    @Override
    public void delete(String node, String uid) {
        var there = server.nodes().get(node);
        if (there.isEmpty()) {
            return;
        }
        if (!there.get().getMetadata().getUid().equals(uid)) {
            throw new ApiException(ApiException.CONFLICT, "node " + node + " was replaced by a node of the same name");
        }
        interference.deletes(node);
        server.nodes().remove(node);
    }

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {
        pools.wrote(server.pools().change(ObjectStore.key(pool), null, before -> {
            var after = new TrainingPool();
            after.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder(before.getMetadata()).build());
            after.setSpec(before.getSpec());
            after.setStatus(status);
            return after;
        }));
    }

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {
        tiers.wrote(server.tiers().change(ObjectStore.key(tier), null, before -> {
            var after = new TrainingTier();
            after.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder(before.getMetadata()).build());
            after.setSpec(before.getSpec());
            after.setStatus(status);
            return after;
        }));
    }
}
