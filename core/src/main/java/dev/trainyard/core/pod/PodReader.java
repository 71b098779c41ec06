package dev.trainyard.core.pod;

import dev.trainyard.core.Names;
import dev.trainyard.core.gpu.GpuWish;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the {@link PodShape} of a Kubernetes pod. */
public final class PodReader {

    private PodReader() {}

    /** @throws IllegalArgumentException when the pod holds something that is not what it should be; the message says what */
    public static PodShape shapeOf(Pod pod) {
        var spec = pod.getSpec();
        if (spec == null) {
            throw new IllegalArgumentException("pod has no spec");
        }
        return new PodShape(
                requests(spec),
                orEmpty(spec.getNodeSelector()),
                nodeTerms(spec),
                orEmpty(spec.getTolerations()).stream()
                        .map(t -> new Toleration(t.getKey(), t.getOperator(), t.getValue(), t.getEffect()))
                        .toList(),
                tier(pod),
                GpuWish.orMalformed(orEmpty(pod.getMetadata().getAnnotations())),
                unmodelled(spec));
    }

    /** The tier that the pod is annotated with. */
    public static @Nullable String tier(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(Names.TIER);
    }

    /**
     * What the pod takes from its node: containers and sidecars together, or the hungriest moment of its start if that is more, plus
     * overhead, plus one pod. Follows {@code k8s.io/component-helpers/resource.PodRequests} (without pod-level resources).
     */
    static Resources requests(PodSpec spec) {
        var running = Resources.NONE;
        for (var container : orEmpty(spec.getContainers())) {
            running = running.plus(requests(container));
        }
        var sidecars = Resources.NONE;
        var starting = Resources.NONE;
        for (var container : orEmpty(spec.getInitContainers())) {
            if ("Always".equals(container.getRestartPolicy())) {
                sidecars = sidecars.plus(requests(container));
                starting = starting.max(sidecars);
            } else {
                starting = starting.max(sidecars.plus(requests(container)));
            }
        }
        return running.plus(sidecars)
                .max(starting)
                .plus(Resources.parse(spec.getOverhead()))
                .plus(Resources.of(ResourceNames.PODS, 1));
    }

    /** A limit without a request is a request, as API server defaulting has it. */
    private static Resources requests(Container container) {
        var resources = container.getResources();
        if (resources == null) {
            return Resources.NONE;
        }
        var requests = Resources.parse(resources.getRequests());
        var limits = Resources.parse(resources.getLimits());
        var unrequested = new TreeMap<>(limits.asMap());
        unrequested.keySet().removeAll(requests.asMap().keySet());
        return requests.plus(Resources.of(unrequested));
    }

    private static List<NodeTerm> nodeTerms(PodSpec spec) {
        return Optional.ofNullable(spec.getAffinity())
                .map(Affinity::getNodeAffinity)
                .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
                .map(NodeSelector::getNodeSelectorTerms)
                .map(terms -> terms.stream().map(PodReader::nodeTerm).toList())
                .orElse(List.of());
    }

    private static NodeTerm nodeTerm(NodeSelectorTerm term) {
        return new NodeTerm(nodeRequirements(term.getMatchExpressions()), nodeRequirements(term.getMatchFields()));
    }

    private static NodeRequirement nodeRequirement(NodeSelectorRequirement requirement) {
        if (requirement.getKey() == null || requirement.getOperator() == null) {
            throw new IllegalArgumentException("a requirement of the node affinity lacks its key or its operator");
        }
        return new NodeRequirement(requirement.getKey(), requirement.getOperator(), orEmpty(requirement.getValues()));
    }

    private static List<NodeRequirement> nodeRequirements(@Nullable List<NodeSelectorRequirement> requirements) {
        return orEmpty(requirements).stream().map(PodReader::nodeRequirement).toList();
    }

    private static SortedSet<String> unmodelled(PodSpec spec) {
        var found = new TreeSet<String>();
        var affinity = spec.getAffinity();
        if (affinity != null
                && affinity.getPodAffinity() != null
                && !orEmpty(affinity.getPodAffinity().getRequiredDuringSchedulingIgnoredDuringExecution())
                        .isEmpty()) {
            found.add("required pod affinity");
        }
        if (affinity != null
                && affinity.getPodAntiAffinity() != null
                && !orEmpty(affinity.getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution())
                        .isEmpty()) {
            found.add("required pod anti-affinity");
        }
        if (orEmpty(spec.getTopologySpreadConstraints()).stream()
                .anyMatch(constraint -> "DoNotSchedule".equals(constraint.getWhenUnsatisfiable()))) {
            found.add("topology spread");
        }
        if (orEmpty(spec.getVolumes()).stream().anyMatch(PodReader::mayBindToANode)) {
            found.add("persistent volume claims");
        }
        if (!orEmpty(spec.getResourceClaims()).isEmpty()) {
            found.add("resource claims");
        }
        if (orEmpty(spec.getContainers()).stream().anyMatch(PodReader::takesHostPorts)) {
            found.add("host ports");
        }
        if (spec.getResources() != null) {
            found.add("pod-level resources");
        }
        return found;
    }

    private static boolean mayBindToANode(Volume volume) {
        return volume.getPersistentVolumeClaim() != null || volume.getEphemeral() != null;
    }

    private static boolean takesHostPorts(Container container) {
        return orEmpty(container.getPorts()).stream()
                .anyMatch(port -> port.getHostPort() != null && port.getHostPort() > 0);
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
        return map == null ? Map.of() : map;
    }
}
