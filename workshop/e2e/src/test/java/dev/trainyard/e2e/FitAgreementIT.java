package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Fit and the real kube-scheduler agree on every pod and node: generated nodes, running pods and pending pods. An extender that refuses
 * every node records which nodes passed the scheduler's own filters. The scheduler's message counts the refused nodes for each reason.
 */
@WithControlPlane
@Tag("slow")
@ResourceLock(WithControlPlane.CLUSTER)
class FitAgreementIT {

    private static final String SCHEDULER = "fit-agreement";
    private static final int ROUNDS = 6;
    private static final int NODES = 12;
    private static final int PLACED = 26;
    private static final int WAITING = 50;
    private static final int MEASURED = 5;
    private static final Pattern REASON = Pattern.compile("(\\d+) (.+)");
    private static final Pattern MESSAGE = Pattern.compile("0/\\d+ nodes are available: (.+?)\\.(?: .*)?");

    private final List<HasMetadata> made = new ArrayList<>();
    private final List<String> disagreements = new ArrayList<>();
    private final Map<String, Integer> nodesByReason = new TreeMap<>();
    private RecordingExtender extender;
    private KubernetesClient client;
    private String namespace;
    private String other;
    private int pairs;
    private int fitting;
    /** Pods for which the scheduler differs for a known reason. */
    private int explained;

    private int refusedByTheApiServer;

    @BeforeEach
    void start(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        this.client = client;
        this.namespace = namespace.getMetadata().getName();
        this.other = this.namespace + "-other";
        extender = new RecordingExtender();
        client.resource(namespaceWith(this.namespace, Map.of("team", "x"))).patch();
        make(namespaceWith(other, Map.of()));
        client.serviceAccounts()
                .inNamespace(other)
                .withName("default")
                .waitUntilCondition(account -> account != null, 30, TimeUnit.SECONDS);
        make(Map.of(
                "apiVersion", "node.k8s.io/v1",
                "kind", "RuntimeClass",
                "metadata", Map.of("name", RandomPlacement.RUNTIME_CLASS),
                "handler", "any",
                "overhead", Map.of("podFixed", RandomPlacement.OVERHEAD)));
        controlPlane.startScheduler(SCHEDULER, extender.configuration(SCHEDULER));
    }

    @AfterEach
    void stop(ControlPlane controlPlane) {
        controlPlane.stop(SCHEDULER, Duration.ofSeconds(5));
        extender.close();
        clear();
        made.forEach(object -> client.resource(object).delete());
    }

    @Test
    void agreesWithTheRealSchedulerOnEveryPodAndNode() {
        for (int round = 0; round < ROUNDS; round++) {
            var random = new Random(20_261_121L + round);
            compare(new RandomPlacement(random, namespace, other), random, "fit-" + round);
        }
        System.err.printf(
                "[fit] %d pairs of pod and node, %d fitting; %d disagreements; %d pods judged otherwise for a known reason; %d pods refused by the API server; reasons: %s%n",
                pairs, fitting, disagreements.size(), explained, refusedByTheApiServer, nodesByReason);
        assertThat(disagreements).isEmpty();
        assertThat(explained).isLessThan(10);
        assertThat(pairs).isGreaterThan(3_000);
        assertThat(fitting).as("of %d pairs", pairs).isGreaterThan(200);
        assertThat(nodesByReason.keySet())
                .as("reasons that both gave")
                .contains(
                        "Too many pods",
                        "Insufficient cpu",
                        "Insufficient memory",
                        "Insufficient nvidia.com/gpu",
                        "node(s) didn't match Pod's node affinity/selector",
                        "node(s) didn't have free ports for the requested pod ports",
                        "node(s) didn't match pod affinity rules",
                        "node(s) didn't match pod anti-affinity rules",
                        "node(s) didn't match pod topology spread constraints",
                        "node(s) didn't match pod topology spread constraints (missing required label)",
                        "node(s) didn't satisfy existing pods anti-affinity rules",
                        "node(s) had untolerated taint(s)",
                        "node(s) were unschedulable");
    }

    private void compare(RandomPlacement placement, Random random, String name) {
        for (int i = 0; i < NODES; i++) {
            make(placement.node(name + "-n" + i));
        }
        var waiting = new ArrayList<Map<String, Object>>();
        for (int i = 0; i < MEASURED; i++) {
            waiting.add(withNodesThatItJustFits(placement.waiting(name + "-m" + i, SCHEDULER), name + "-m" + i));
        }
        for (int i = 0; i < WAITING; i++) {
            waiting.add(placement.waiting(name + "-w" + i, SCHEDULER));
        }
        var nodes = awaitNodes();
        for (int i = 0; i < PLACED; i++) {
            place(placement.placed(name + "-p" + i, name + "-n" + random.nextInt(NODES)), random);
        }
        var pods = client.pods().inAnyNamespace().list().getItems().stream()
                .filter(pod -> pod.getSpec().getNodeName() != null && !hasEnded(pod))
                .toList();
        var ours = new CoreVerdicts(nodes, pods, client.namespaces().list().getItems());
        var made = new ArrayList<Pod>();
        for (var pod : waiting) {
            tryToMake(Serialization.unmarshal(Serialization.asJson(pod), Pod.class), made);
        }
        made.forEach(pod -> compare(pod, ours.of(pod)));
        clear();
    }

    private void compare(Pod pod, Map<String, NavigableSet<String>> ours) {
        var message = verdict(pod);
        var left = extender.nodesLeftFor(pod.getMetadata().getUid());
        var before = disagreements.size();
        var reasons = new TreeMap<String, Integer>();
        ours.forEach((node, why) -> {
            pairs++;
            fitting += why.isEmpty() ? 1 : 0;
            if (why.isEmpty() != left.contains(node)) {
                disagreements.add("%s on %s: the scheduler says %s, we say %s: %s"
                        .formatted(
                                pod.getMetadata().getName(),
                                node,
                                left.contains(node),
                                why.isEmpty() ? "true" : why,
                                Serialization.asJson(pod.getSpec())));
            }
            (why.isEmpty() ? List.of(RecordingExtender.REFUSED) : why)
                    .forEach(reason -> reasons.merge(reason, 1, Integer::sum));
        });
        if (!reasonsIn(message).equals(reasons)) {
            disagreements.add("%s: the scheduler's reasons are %s, ours %s: %s"
                    .formatted(pod.getMetadata().getName(), message, reasons, Serialization.asJson(pod.getSpec())));
        }
        if (disagreements.size() > before && looksIntoNamespacesWithoutALabel(pod)) {
            explained++;
            disagreements.subList(before, disagreements.size()).clear();
        }
        reasons.forEach((reason, number) -> nodesByReason.merge(reason, number, Integer::sum));
    }

    /**
     * Whether Kubernetes 1.36 (not 1.32) extends a term of the pending pod to all namespaces. In
     * {@code mergeAffinityTermNamespacesIfNotEmpty}, InterPodAffinity changes only a copy of the term. So the selector is matched against
     * empty labels.
     */
    private static boolean looksIntoNamespacesWithoutALabel(Pod pod) {
        var relations = RelationsReader.relationsOf(pod, namespace -> Optional.of(Map.of()));
        return Stream.concat(relations.affinity().stream(), relations.antiAffinity().stream())
                .map(term -> term.pods().namespaceSelector())
                .anyMatch(selector -> !selector.isEverything() && selector.matches(Map.of()));
    }

    private static Map<String, Integer> reasonsIn(String message) {
        var reasons = new TreeMap<String, Integer>();
        var sentence = MESSAGE.matcher(message);
        if (sentence.matches()) {
            for (var part : sentence.group(1).split(", ", -1)) {
                var reason = REASON.matcher(part);
                assertThat(reason.matches()).as("%s in %s", part, message).isTrue();
                reasons.put(reason.group(2), Integer.valueOf(reason.group(1)));
            }
        }
        return reasons;
    }

    /**
     * Creates a node with exactly the resources that the pod requests by our calculation. Also creates a node for each resource, with one
     * unit less of this resource. Restricts the pod to these nodes.
     */
    private Map<String, Object> withNodesThatItJustFits(Map<String, Object> pod, String name) {
        Pod stored;
        try {
            stored = client.resource(Serialization.unmarshal(Serialization.asJson(pod), Pod.class))
                    .dryRun()
                    .create();
        } catch (KubernetesClientException e) {
            return pod;
        }
        var requests = PodReader.shapeOf(stored).requests();
        make(nodeFor(name, "exact", requests));
        for (var resource : requests.asMap().keySet()) {
            var suffix = "short-" + resource.replaceAll("[^a-z]", "");
            make(nodeFor(name, suffix, requests.minus(Resources.of(resource, 1))));
        }
        @SuppressWarnings("unchecked") // a map was put there
        var spec = (Map<String, Object>) pod.get("spec");
        spec.put("nodeSelector", Map.of("for", name));
        spec.remove("affinity");
        spec.remove("topologySpreadConstraints");
        return pod;
    }

    private static Map<String, Object> nodeFor(String pod, String suffix, Resources allocatable) {
        var amounts = new HashMap<String, Object>();
        allocatable
                .asMap()
                .forEach((name, amount) -> amounts.put(name, name.equals("cpu") ? amount + "m" : amount + ""));
        return Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Node",
                "metadata",
                Map.of("name", pod + "-" + suffix, "labels", Map.of("for", pod)),
                "status",
                Map.of("allocatable", amounts));
    }

    /** Places a pod. One pod in eight is deleted, but stays because of a finalizer. */
    private void place(Map<String, Object> object, Random random) {
        boolean going = random.nextInt(8) == 0;
        var pod = new PodBuilder(Serialization.unmarshal(Serialization.asJson(object), Pod.class))
                .editMetadata()
                .withFinalizers(going ? List.of("trainyard.dev/test") : List.of())
                .endMetadata()
                .build();
        var placed = new ArrayList<Pod>();
        tryToMake(pod, placed);
        if (going && !placed.isEmpty()) {
            client.pods().resource(placed.get(0)).withGracePeriod(0).delete();
        }
    }

    private void tryToMake(Pod pod, List<Pod> into) {
        try {
            into.add((Pod) make(pod));
        } catch (KubernetesClientException e) {
            assertThat(e.getCode()).as("%s", e.getMessage()).isEqualTo(422);
            refusedByTheApiServer++;
        }
    }

    private String verdict(Pod pod) {
        return client
                .pods()
                .resource(pod)
                .waitUntilCondition(
                        found -> found != null
                                && found.getStatus().getConditions().stream().anyMatch(FitAgreementIT::isVerdict),
                        60,
                        TimeUnit.SECONDS)
                .getStatus()
                .getConditions()
                .stream()
                .filter(FitAgreementIT::isVerdict)
                .map(PodCondition::getMessage)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isVerdict(PodCondition condition) {
        return condition.getType().equals("PodScheduled")
                && condition.getStatus().equals("False")
                && condition.getMessage() != null;
    }

    private static boolean hasEnded(Pod pod) {
        return List.of("Succeeded", "Failed")
                .contains(String.valueOf(pod.getStatus().getPhase()));
    }

    /** Returns all nodes after their taints for conditions and cordons have settled. */
    private List<Node> awaitNodes() {
        return TrainingGround.await("nodes that are as they stay", () -> {
            var nodes = client.nodes().list().getItems();
            boolean settled = nodes.stream().allMatch(node -> {
                var taints = node.getSpec().getTaints().stream()
                        .map(taint -> taint.getKey())
                        .toList();
                boolean cordoned = Boolean.TRUE.equals(node.getSpec().getUnschedulable());
                return node.getStatus().getConditions().stream()
                                .anyMatch(c -> c.getType().equals("Ready")
                                        && c.getStatus().equals("True"))
                        && !taints.contains("node.kubernetes.io/not-ready")
                        && taints.contains("node.kubernetes.io/unschedulable") == cordoned;
            });
            return settled ? Optional.of(nodes) : Optional.empty();
        });
    }

    private static Namespace namespaceWith(String name, Map<String, String> labels) {
        return new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build();
    }

    private HasMetadata make(Map<String, Object> object) {
        return make(Serialization.unmarshal(Serialization.asJson(object), HasMetadata.class));
    }

    private HasMetadata make(HasMetadata object) {
        var created = client.resource(object).create();
        if (created instanceof Pod || created instanceof Node) {
            made.add(created);
        } else {
            made.add(0, created);
        }
        return created;
    }

    /** Deletes the pods and nodes of a round. */
    private void clear() {
        var round = made.stream()
                .filter(object -> object instanceof Pod || object instanceof Node)
                .toList();
        for (var object : round) {
            if (object instanceof Pod pod) {
                client.pods().resource(pod).withGracePeriod(0).delete();
                if (!pod.getMetadata().getFinalizers().isEmpty()) {
                    client.pods()
                            .resource(pod)
                            .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
                }
            } else {
                client.resource(object).delete();
            }
        }
        made.removeAll(round);
        for (var own : List.of(namespace, other)) {
            TrainingGround.awaitTrue(
                    "no pods in " + own,
                    () -> client.pods().inNamespace(own).list().getItems().isEmpty());
        }
    }
}
