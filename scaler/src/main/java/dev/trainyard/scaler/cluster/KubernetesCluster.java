package dev.trainyard.scaler.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.runtime.configuration.CatalogueCache;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.SnapshotReader;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Cluster} on a real API server: reads from watches, and writes with the narrowest requests possible, such as patches and
 * evictions.
 */
public final class KubernetesCluster implements Cluster {

    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
    private static final PatchContext JSON_PATCH = PatchContext.of(PatchType.JSON);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int GONE = 404;
    private static final int CONFLICT = 409;

    private final KubernetesClient client;
    private final Watches watches;
    private final NamespaceSource namespaces;
    private final GangObjects gangObjects;
    private final String ownNamespace;
    private final ScalerMetrics metrics;
    private final CatalogueCache catalogue = new CatalogueCache();
    private final OwnWrites<Node> nodes = new OwnWrites<>();
    /** The nodes that the round decides on, including the round's own changes. */
    private final Map<String, Node> seen = new HashMap<>();

    private final OwnWrites<Pod> pods = new OwnWrites<>();
    private final OwnWrites<TrainingPool> pools = new OwnWrites<>();
    private final OwnWrites<TrainingTier> tiers = new OwnWrites<>();

    /** @param ownNamespace the namespace that Trainyard itself runs in */
    public KubernetesCluster(
            KubernetesClient client,
            Watches watches,
            NamespaceSource namespaces,
            GangObjects gangObjects,
            String ownNamespace,
            ScalerMetrics metrics) {
        this.ownNamespace = ownNamespace;
        this.metrics = metrics;
        this.client = client;
        this.watches = watches;
        this.namespaces = namespaces;
        this.gangObjects = gangObjects;
    }

    @Override
    public View view() {
        var poolObjects = byName(pools.over(watches.pools()));
        var tierObjects = byName(tiers.over(watches.tiers()));
        var nodeObjects = nodes.over(watches.nodes());
        seen.clear();
        nodeObjects.forEach(node -> seen.put(node.getMetadata().getName(), node));
        return new View(
                catalogue.of(poolObjects.values(), tierObjects.values(), watches.settings()),
                poolObjects,
                tierObjects,
                new KubernetesObjects(
                        pods.over(watches.pods()),
                        nodeObjects,
                        watches.daemonSets(),
                        watches.budgets(),
                        namespace -> namespaces.facts(namespace).map(NamespaceFacts::labels),
                        gangObjects),
                namespaces::facts);
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        var patch = JSON.createObjectNode();
        annotate(patch, annotations);
        patchNode(node, patch);
    }

    @Override
    public void label(String node, Map<String, String> labels) {
        var patch = JSON.createObjectNode();
        var target = patch.putObject("metadata").putObject("labels");
        labels.forEach(target::put);
        patchNode(node, patch);
    }

    @Override
    public void cordon(String node, Removal removal) {
        var patch = JSON.createObjectNode();
        annotate(patch, Map.of(Names.REMOVING, Optional.of(removal.toString())));
        taints(patch, Cordon.set(seen(node), removal));
        patchNode(node, patch);
    }

    /** Also works if the node has changed since the round read it. Keeps the changes by others. */
    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {
        try {
            patchNode(node, uncordoned(seen(node), idleSince));
        } catch (KubernetesClientException e) {
            var now = e.getCode() == CONFLICT ? client.nodes().withName(node).get() : null;
            if (now == null) {
                throw e;
            }
            seen.put(node, now);
            patchNode(node, uncordoned(now, idleSince));
        }
    }

    private static ObjectNode uncordoned(Node node, Optional<Instant> idleSince) {
        var patch = JSON.createObjectNode();
        var marks = new HashMap<String, Optional<String>>();
        ScalerAnnotations.OF_REMOVAL.forEach(mark -> marks.put(mark, Optional.empty()));
        idleSince.ifPresent(since -> marks.put(ScalerAnnotations.IDLE_SINCE, Optional.of(since.toString())));
        annotate(patch, marks);
        taints(patch, Cordon.lift(node));
        return patch;
    }

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {
        var patch = JSON.createObjectNode();
        annotate(patch, annotations);
        patch.withObject("/metadata").put("uid", pod.uid()); // the API server refuses to change the UID of another pod
        unlessGone(
                () -> client.pods().resource(named(pod.namespace(), pod.name())).patch(MERGE, patch.toString()));
    }

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {
        var patch = JSON.createObjectNode();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.putObject("status").put("nominatedNodeName", node.orElse(null));
        pods.wrote(client.pods()
                .resource(named(pod.namespace(), pod.name()))
                .subresource("status")
                .patch(MERGE, patch.toString()));
    }

    @Override
    public void removeGate(PendingPod pod) {
        var operations = JSON.createArrayNode();
        operations.addObject().put("op", "test").put("path", "/metadata/uid").put("value", pod.uid());
        operations
                .addObject()
                .put("op", "test")
                .put("path", "/spec/schedulingGates")
                .putArray("value")
                .addObject()
                .put("name", Names.GANG_GATE);
        operations.addObject().put("op", "remove").put("path", "/spec/schedulingGates");
        pods.wrote(client.pods().resource(named(pod.namespace(), pod.name())).patch(JSON_PATCH, operations.toString()));
    }

    /** Returns a pod that has only its name. Given a name alone, the client would read the pod before it sends a patch. */
    private static Pod named(String namespace, String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build();
    }

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        var eviction = new EvictionBuilder()
                .withNewMetadata()
                .withName(pod.name())
                .withNamespace(pod.namespace())
                .endMetadata()
                .withDeleteOptions(new DeleteOptionsBuilder()
                        .withGracePeriodSeconds(grace.map(Duration::toSeconds).orElse(null))
                        .withNewPreconditions()
                        .withUid(pod.uid())
                        .endPreconditions()
                        .build())
                .build();
        boolean allowed =
                client.pods().inNamespace(pod.namespace()).withName(pod.name()).evict(eviction);
        metrics.evicted(allowed);
        return allowed;
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return SnapshotReader.onNode(
                client.pods()
                        .inAnyNamespace()
                        .withField("spec.nodeName", node)
                        .list()
                        .getItems(),
                ownNamespace);
    }

    @Override
    public void delete(String node, String uid) {
        var options = new DeleteOptionsBuilder()
                .withNewPreconditions()
                .withUid(uid)
                .endPreconditions()
                .build();
        unlessGone(() -> {
            client.raw("/api/v1/nodes/" + node, "DELETE", options);
            metrics.removedNode();
        });
    }

    /** Sends a request about an object. If the object no longer exists, there is nothing to do. */
    static void unlessGone(Runnable request) {
        try {
            request.run();
        } catch (KubernetesClientException e) {
            if (e.getCode() != GONE) {
                throw e;
            }
        }
    }

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {
        pools.wrote(client.resources(TrainingPool.class)
                .resource(pool)
                .subresource("status")
                .patch(JSON_PATCH, replaceStatus(status)));
    }

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {
        tiers.wrote(client.resources(TrainingTier.class)
                .resource(tier)
                .subresource("status")
                .patch(JSON_PATCH, replaceStatus(status)));
    }

    /**
     * Patches a node only if it has not changed since the round saw or wrote it. If the node has changed, the API server answers 409. After
     * such an answer, {@link #uncordon} reads the node again. Any other method fails, and the next round decides again.
     */
    private void patchNode(String node, ObjectNode patch) {
        expect(
                patch,
                Optional.ofNullable(seen.get(node))
                        .map(known -> known.getMetadata().getResourceVersion())
                        .orElse(null));
        // Given only a name, the client would read the node before it sends the patch.
        var named =
                new NodeBuilder().withNewMetadata().withName(node).endMetadata().build();
        written(client.nodes().resource(named).patch(MERGE, patch.toString()));
    }

    private void written(@Nullable Node node) {
        nodes.wrote(node);
        if (node != null) {
            seen.put(node.getMetadata().getName(), node);
        }
    }

    private Node seen(String name) {
        return Optional.ofNullable(seen.get(name))
                .orElseThrow(() -> new IllegalStateException("node %s was not read in this round".formatted(name)));
    }

    /**
     * Adds the taints to a patch. A patch replaces the whole list of taints. The API server applies the patch only if the node still has
     * the version from which the list was read. So no other writer's taint is lost.
     */
    private static void taints(ObjectNode patch, Node after) {
        patch.withObject("/spec").set("taints", JSON.valueToTree(after.getSpec().getTaints()));
    }

    static void expect(ObjectNode patch, @Nullable String resourceVersion) {
        if (resourceVersion != null) {
            patch.withObject("/metadata").put("resourceVersion", resourceVersion);
        }
    }

    private static void annotate(ObjectNode patch, Map<String, Optional<String>> annotations) {
        var target = patch.withObject("/metadata").putObject("annotations");
        annotations.forEach(
                (name, value) -> value.ifPresentOrElse(v -> target.put(name, v), () -> target.putNull(name)));
    }

    /** Replaces the whole status, since a merge would keep values that no longer hold. */
    private static String replaceStatus(Object status) {
        var operations = JSON.createArrayNode();
        operations.addObject().put("op", "add").put("path", "/status").set("value", JSON.valueToTree(status));
        return operations.toString();
    }

    private static <T extends HasMetadata> Map<String, T> byName(List<T> objects) {
        var byName = new HashMap<String, T>();
        for (var object : objects) {
            if (object.getMetadata().getDeletionTimestamp() == null) {
                byName.put(object.getMetadata().getName(), object);
            }
        }
        return byName;
    }
}
