package dev.trainyard.core.pod;

import dev.trainyard.core.Names;
import dev.trainyard.core.gpu.GpuRequirement;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A reader of the {@link PodShape} of a Kubernetes pod. */
public final class PodReader {

    private PodReader() {}

    /**
     * Reads the shape of a pod.
     *
     * @throws IllegalArgumentException if a part of the pod is invalid; the message names the part
     */
    public static PodShape shapeOf(Pod pod) {
        var spec = pod.getSpec();
        if (spec == null) {
            throw new IllegalArgumentException("pod has no spec");
        }
        return new PodShape(
                RequestReader.requests(pod),
                orEmpty(spec.getNodeSelector()),
                nodeTerms(spec),
                orEmpty(spec.getTolerations()).stream()
                        .map(t -> new Toleration(t.getKey(), t.getOperator(), t.getValue(), t.getEffect()))
                        .toList(),
                hostPorts(spec),
                tier(pod),
                GpuRequirement.orMalformed(orEmpty(pod.getMetadata().getAnnotations())),
                unmodelled(spec));
    }

    /** Returns the tier in the pod's annotation, without surrounding white space; null if the annotation is absent or blank. */
    public static @Nullable String tier(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        var tier = annotations == null ? null : annotations.get(Names.TIER);
        return tier == null || tier.isBlank() ? null : tier.strip();
    }

    /** Returns the host ports of a pod. */
    public static Set<HostPort> hostPortsOf(Pod pod) {
        return pod.getSpec() == null ? Set.of() : hostPorts(pod.getSpec());
    }

    /** Returns the host ports of all containers and sidecars, as {@code k8s.io/kubernetes/pkg/scheduler/util.GetHostPorts} does. */
    private static Set<HostPort> hostPorts(PodSpec spec) {
        boolean ofHost = Boolean.TRUE.equals(spec.getHostNetwork());
        var sidecars = orEmpty(spec.getInitContainers()).stream()
                .filter(container -> "Always".equals(container.getRestartPolicy()));
        return Stream.concat(sidecars, orEmpty(spec.getContainers()).stream())
                .flatMap(container -> orEmpty(container.getPorts()).stream())
                .flatMap(port -> hostPort(port, ofHost).stream())
                .collect(Collectors.toSet());
    }

    /**
     * Returns the host port of a container port; empty if there is none. For a pod in the host's network, every container port is a host
     * port, because the API server fills in {@code hostPort}.
     */
    private static Optional<HostPort> hostPort(ContainerPort port, boolean ofHost) {
        int named = Objects.requireNonNullElse(port.getHostPort(), 0);
        int number = named == 0 && ofHost ? Objects.requireNonNullElse(port.getContainerPort(), 0) : named;
        return number <= 0
                ? Optional.empty()
                : Optional.of(new HostPort(
                        orElse(port.getProtocol(), "TCP"), orElse(port.getHostIP(), HostPort.ANY), number));
    }

    private static String orElse(@Nullable String text, String otherwise) {
        return text == null || text.isEmpty() ? otherwise : text;
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

    private static LabelRequirement nodeRequirement(NodeSelectorRequirement requirement) {
        if (requirement.getKey() == null || requirement.getOperator() == null) {
            throw new IllegalArgumentException("a requirement of the node affinity lacks its key or its operator");
        }
        return new LabelRequirement(requirement.getKey(), requirement.getOperator(), orEmpty(requirement.getValues()));
    }

    private static List<LabelRequirement> nodeRequirements(@Nullable List<NodeSelectorRequirement> requirements) {
        return orEmpty(requirements).stream().map(PodReader::nodeRequirement).toList();
    }

    private static SortedSet<String> unmodelled(PodSpec spec) {
        var found = new TreeSet<String>();
        if (orEmpty(spec.getVolumes()).stream().anyMatch(PodReader::mayBindToANode)) {
            found.add("persistent volume claims");
        }
        if (!orEmpty(spec.getResourceClaims()).isEmpty()) {
            found.add(PodShape.RESOURCE_CLAIMS);
        }
        return found;
    }

    private static boolean mayBindToANode(Volume volume) {
        return volume.getPersistentVolumeClaim() != null || volume.getEphemeral() != null;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static <K, V> Map<K, V> orEmpty(@Nullable Map<K, V> map) {
        return map == null ? Map.of() : map;
    }
}
