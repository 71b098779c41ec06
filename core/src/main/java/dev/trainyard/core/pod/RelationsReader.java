package dev.trainyard.core.pod;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinity;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the {@link PodRelations} of a Kubernetes pod.
 *
 * <p>An API server resolves {@code matchLabelKeys} and {@code mismatchLabelKeys}, and writes the result into the selector of the stored
 * pod: for pod affinity since Kubernetes 1.31, and for topology spread since 1.34. This reader resolves the keys in all other cases: for
 * pods that no API server has stored, and for spread constraints of older API servers.
 */
public final class RelationsReader {

    private static final String BY_NAMESPACE_LABELS = "pod affinity with a namespaceSelector";

    private final Pod pod;
    private final String namespace;
    private final Optional<Map<String, String>> namespaceLabels;
    private final Map<String, String> labels;
    private final TreeSet<String> unmodelled = new TreeSet<>();

    private RelationsReader(Pod pod, Function<String, Optional<Map<String, String>>> namespaceLabels) {
        this.pod = pod;
        this.namespace = Objects.requireNonNullElse(pod.getMetadata().getNamespace(), "");
        this.namespaceLabels = namespaceLabels.apply(namespace);
        this.labels = Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
    }

    /**
     * Reads the relations of a pod to other pods.
     *
     * @param namespaceLabels labels of a namespace; empty if the namespace is not known
     * @throws IllegalArgumentException if a part of the pod is invalid; the message names the part
     */
    public static PodRelations relationsOf(Pod pod, Function<String, Optional<Map<String, String>>> namespaceLabels) {
        return new RelationsReader(pod, namespaceLabels).read();
    }

    private PodRelations read() {
        var spec = Optional.ofNullable(pod.getSpec());
        var affinity = spec.map(PodSpec::getAffinity);
        var near = affinity.map(Affinity::getPodAffinity)
                .map(PodAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
        var apart = affinity.map(Affinity::getPodAntiAffinity)
                .map(PodAntiAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
        var spread = spec.map(PodSpec::getTopologySpreadConstraints);
        return new PodRelations(
                namespace,
                namespaceLabels.orElse(Map.of()),
                labels,
                terms(near.orElse(List.of())),
                terms(apart.orElse(List.of())),
                spread.orElse(List.of()).stream()
                        .filter(constraint -> "DoNotSchedule".equals(constraint.getWhenUnsatisfiable()))
                        .map(this::spreadConstraint)
                        .toList(),
                unmodelled);
    }

    private List<PodTerm> terms(List<PodAffinityTerm> terms) {
        var read = new ArrayList<PodTerm>();
        for (var term : terms) {
            var byLabels = Selector.of(term.getNamespaceSelector());
            boolean looksAtLabels = !byLabels.isEverything() && !byLabels.equals(Selector.NOTHING);
            if (looksAtLabels && namespaceLabels.isEmpty()) {
                unmodelled.add(BY_NAMESPACE_LABELS);
                continue;
            }
            var key = required(term.getTopologyKey(), "a term of the pod affinity lacks its topologyKey");
            read.add(new PodTerm(new PodSet(namespaces(term), byLabels, completed(term)), key));
        }
        return read;
    }

    /** Returns the namespaces that the term names; the pod's own namespace if the term has neither names nor a selector. */
    private Set<String> namespaces(PodAffinityTerm term) {
        var named = orEmpty(term.getNamespaces());
        return named.isEmpty() && term.getNamespaceSelector() == null ? Set.of(namespace) : Set.copyOf(named);
    }

    private Selector completed(PodAffinityTerm term) {
        var selector = Selector.of(term.getLabelSelector());
        var all = new ArrayList<>(selector.requirements());
        // If the selector mentions the key, an API server has resolved the key already. Kubernetes rejects a pod whose
        // author names a key both in the selector and in one of these two lists.
        all.addAll(ofOwnLabels(orEmpty(term.getMatchLabelKeys()), "In", selector));
        all.addAll(ofOwnLabels(orEmpty(term.getMismatchLabelKeys()), "NotIn", selector));
        return new Selector(all);
    }

    private List<LabelRequirement> ofOwnLabels(List<String> keys, String operator, Selector written) {
        return keys.stream()
                .filter(key -> labels.containsKey(key) && !written.mentions(key))
                .map(key ->
                        new LabelRequirement(key, operator, List.of(Objects.requireNonNullElse(labels.get(key), ""))))
                .toList();
    }

    private SpreadConstraint spreadConstraint(TopologySpreadConstraint constraint) {
        var selector = Selector.of(constraint.getLabelSelector());
        var all = new ArrayList<>(selector.requirements());
        // The scheduler adds these requirements too, even if the selector mentions the key.
        all.addAll(ofOwnLabels(orEmpty(constraint.getMatchLabelKeys()), "In", Selector.EVERYTHING));
        return new SpreadConstraint(
                required(constraint.getTopologyKey(), "a topology spread constraint lacks its topologyKey"),
                new Selector(all),
                Objects.requireNonNullElse(constraint.getMaxSkew(), 1),
                Objects.requireNonNullElse(constraint.getMinDomains(), 1),
                !"Ignore".equals(constraint.getNodeAffinityPolicy()),
                "Honor".equals(constraint.getNodeTaintsPolicy()));
    }

    private static String required(@Nullable String text, String otherwise) {
        if (text == null) {
            throw new IllegalArgumentException(otherwise);
        }
        return text;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
