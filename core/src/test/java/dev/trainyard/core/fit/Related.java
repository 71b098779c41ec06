package dev.trainyard.core.fit;

import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.NodeTerm;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.Selector;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.core.pod.Toleration;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A builder of pods with inter-pod constraints. Labels are written as {@code key=value}; {@code host} and {@code zone} are topologies. */
final class Related {

    private final Map<String, String> labels = new HashMap<>();
    private final List<PodTerm> affinity = new ArrayList<>();
    private final List<PodTerm> antiAffinity = new ArrayList<>();
    private final List<SpreadConstraint> spread = new ArrayList<>();
    private final Set<HostPort> ports = new HashSet<>();
    private final Map<String, String> nodeSelector = new HashMap<>();
    private final List<Toleration> tolerations = new ArrayList<>();
    private String namespace = "train";

    private Related() {}

    static Related pod(String... labels) {
        var pod = new Related();
        for (var label : labels) {
            pod.labels.put(key(label), value(label));
        }
        return pod;
    }

    Related in(String other) {
        namespace = other;
        return this;
    }

    Related near(String label, String topology) {
        affinity.add(new PodTerm(PodSet.in(namespace, selector(label)), topology(topology)));
        return this;
    }

    Related apartFrom(String label, String topology) {
        antiAffinity.add(new PodTerm(PodSet.in(namespace, selector(label)), topology(topology)));
        return this;
    }

    Related apartFromAnybodyOf(Selector namespaces, String topology) {
        antiAffinity.add(new PodTerm(new PodSet(Set.of(), namespaces, Selector.EVERYTHING), topology(topology)));
        return this;
    }

    Related spread(String label, String topology, int maxSkew) {
        return spread(new SpreadConstraint(topology(topology), selector(label), maxSkew, 1, true, false));
    }

    Related spread(SpreadConstraint constraint) {
        spread.add(constraint);
        return this;
    }

    Related port(String protocol, String ip, int port) {
        ports.add(new HostPort(protocol, ip, port));
        return this;
    }

    Related on(String nodeLabel) {
        nodeSelector.put(key(nodeLabel), value(nodeLabel));
        return this;
    }

    Related tolerating(String taint) {
        tolerations.add(new Toleration(taint, "Exists", null, null));
        return this;
    }

    PodRelations relations() {
        return new PodRelations(
                namespace,
                Map.of("name", namespace),
                labels,
                affinity,
                antiAffinity,
                spread,
                Collections.emptySortedSet());
    }

    PodShape shape() {
        return new PodShape(
                Resources.of("pods", 1),
                nodeSelector,
                List.<NodeTerm>of(),
                tolerations,
                ports,
                null,
                GpuRequirement.NONE,
                Collections.emptySortedSet());
    }

    static Selector selector(String label) {
        return label.isEmpty()
                ? Selector.EVERYTHING
                : new Selector(List.of(new LabelRequirement(key(label), "In", List.of(value(label)))));
    }

    static String topology(String word) {
        return switch (word) {
            case "host" -> "kubernetes.io/hostname";
            case "zone" -> "topology.kubernetes.io/zone";
            default -> word;
        };
    }

    private static String key(String label) {
        return label.substring(0, label.indexOf('='));
    }

    private static String value(String label) {
        return label.substring(label.indexOf('=') + 1);
    }
}
