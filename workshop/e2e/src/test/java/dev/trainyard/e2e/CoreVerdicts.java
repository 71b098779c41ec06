package dev.trainyard.e2e;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.fit.PodTopology;
import dev.trainyard.core.fit.PodsToPlace;
import dev.trainyard.core.fit.Site;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The decisions of the module {@code core} on whether a pod fits a node. The reasons have the texts and the order of those of
 * kube-scheduler's filters.
 */
final class CoreVerdicts {

    private final Map<String, NodeShape> nodes = new LinkedHashMap<>();
    private final Map<String, Resources> free = new LinkedHashMap<>();
    private final Map<String, Site> sites = new LinkedHashMap<>();
    private final PodTopology neighbourhood = new PodTopology();
    private final Function<String, Optional<Map<String, String>>> namespaces;

    /** @param placed pods that have nodes */
    CoreVerdicts(List<Node> nodes, List<Pod> placed, List<Namespace> namespaces) {
        var labels = namespaces.stream()
                .collect(Collectors.toMap(
                        namespace -> namespace.getMetadata().getName(),
                        namespace -> Objects.requireNonNullElse(
                                namespace.getMetadata().getLabels(), Map.<String, String>of())));
        this.namespaces = name -> Optional.ofNullable(labels.get(name));
        for (var node : nodes) {
            var shape = NodeReader.shapeOf(node);
            this.nodes.put(shape.name(), shape);
            free.put(shape.name(), shape.allocatable());
            sites.put(shape.name(), neighbourhood.addNode(shape));
        }
        for (var pod : placed) {
            var name = pod.getSpec().getNodeName();
            var site = sites.get(name);
            if (site != null) {
                var shape = PodReader.shapeOf(pod);
                free.merge(name, shape.requests(), Resources::minus);
                neighbourhood.settle(
                        relations(pod), shape.hostPorts(), pod.getMetadata().getDeletionTimestamp() != null, site);
            }
        }
    }

    /** Returns, for each node, the reasons that exclude the pod; empty if the pod fits. */
    Map<String, NavigableSet<String>> of(Pod pod) {
        var shape = PodReader.shapeOf(pod);
        var newcomer = neighbourhood.newcomer(shape, relations(pod));
        var verdicts = new LinkedHashMap<String, NavigableSet<String>>();
        nodes.keySet().forEach(node -> verdicts.put(node, reasons(shape, newcomer, node)));
        return verdicts;
    }

    private PodRelations relations(Pod pod) {
        return RelationsReader.relationsOf(pod, namespaces);
    }

    private NavigableSet<String> reasons(PodShape pod, PodsToPlace newcomer, String name) {
        var node = Objects.requireNonNull(nodes.get(name));
        var site = Objects.requireNonNull(sites.get(name));
        var anywhere = new PodShape(
                pod.requests(),
                Map.of(),
                List.of(),
                pod.tolerations(),
                pod.hostPorts(),
                pod.tier(),
                pod.wish(),
                pod.unmodelled());
        var misfit = Fit.checkPlacement(anywhere, node).or(() -> Fit.checkPlacement(pod, node));
        if (misfit.isPresent()) {
            return reason(misfit.get());
        }
        var others = neighbourhood.check(newcomer, site);
        boolean ports = others.map(Misfit::reason).orElse("").contains("ports");
        var lacking = lacking(pod, Objects.requireNonNull(free.get(name)));
        if (!lacking.isEmpty() && !ports) {
            return lacking;
        }
        return others.map(CoreVerdicts::reason).orElseGet(TreeSet::new);
    }

    private static NavigableSet<String> lacking(PodShape pod, Resources free) {
        return pod.requests().asMap().entrySet().stream()
                .filter(wanted -> wanted.getValue() > 0 && wanted.getValue() > free.get(wanted.getKey()))
                .map(wanted -> wanted.getKey().equals("pods") ? "Too many pods" : "Insufficient " + wanted.getKey())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static NavigableSet<String> reason(Misfit misfit) {
        var taints = "node(s) had untolerated taint";
        var words = misfit.reason().startsWith(taints) ? taints + "(s)" : misfit.reason();
        return new TreeSet<>(List.of(words));
    }
}
