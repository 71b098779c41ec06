package dev.trainyard.core.pod;

import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.resource.Resources;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The properties that decide where a pod may run, apart from constraints between pods. Pods of equal shape pass the scheduler's filters on
 * the same nodes, and are planned together. {@link PodRelations} has the constraints between pods.
 *
 * @param requests resources that the pod takes from its node, including one unit of the resource {@code pods}
 * @param nodeSelector labels that its node must have
 * @param nodeTerms terms of the required node affinity; at least one must match; empty if there is no such constraint
 * @param tolerations tolerations of the pod
 * @param hostPorts ports of its node that the pod occupies
 * @param tier the tier in the pod's annotation; null if there is none
 * @param wish the kind of GPU that the pod requests
 * @param unmodelled descriptions of the constraints that {@link dev.trainyard.core.fit.Fit} ignores. The planner ignores them too, and
 *     lists them in its explanation of the pod
 */
public record PodShape(
        Resources requests,
        Map<String, String> nodeSelector,
        List<NodeTerm> nodeTerms,
        List<Toleration> tolerations,
        Set<HostPort> hostPorts,
        @Nullable String tier,
        GpuRequirement wish,
        SortedSet<String> unmodelled) {

    /** The entry of {@code unmodelled} for a pod that requests devices by resource claims. No pool promises such devices. */
    static final String RESOURCE_CLAIMS = "resource claims";

    public PodShape {
        nodeSelector = Map.copyOf(nodeSelector);
        nodeTerms = List.copyOf(nodeTerms);
        tolerations = List.copyOf(tolerations);
        hostPorts = Set.copyOf(hostPorts);
        unmodelled = Collections.unmodifiableSortedSet(new TreeSet<>(unmodelled));
    }

    public long gpus() {
        return requests.gpus();
    }

    /** Whether the pod requests devices by resource claims. The kind of device is not known. */
    public boolean hasResourceClaims() {
        return unmodelled.contains(RESOURCE_CLAIMS);
    }

    /** Whether the required affinity of the pod allows only named nodes, as for a DaemonSet's pods. */
    public boolean namesItsNode() {
        return !nodeTerms.isEmpty() && nodeTerms.stream().allMatch(NodeTerm::namesNodes);
    }

    /** Returns this shape without resource requests. Two pods with equal results may run on the same machines if the machines have room. */
    public PodShape withoutRequests() {
        return new PodShape(Resources.NONE, nodeSelector, nodeTerms, tolerations, hostPorts, tier, wish, unmodelled);
    }

    /** Returns this shape with one more requirement on the labels of the node. */
    public PodShape requiring(LabelRequirement more) {
        var terms = nodeTerms.isEmpty()
                ? List.of(new NodeTerm(List.of(more), List.of()))
                : nodeTerms.stream()
                        .filter(NodeTerm::hasRequirements)
                        .map(term -> new NodeTerm(
                                Stream.concat(term.labels().stream(), Stream.of(more))
                                        .toList(),
                                term.fields()))
                        .toList();
        return new PodShape(
                requests,
                nodeSelector,
                terms.isEmpty() ? nodeTerms : terms,
                tolerations,
                hostPorts,
                tier,
                wish,
                unmodelled);
    }

    /** Whether a node that has these labels and possibly others could satisfy the pod's own selector and required affinity. */
    public boolean mayRunOn(Map<String, String> labels) {
        return nodeSelector.entrySet().stream()
                        .allMatch(wanted ->
                                wanted.getValue().equals(labels.getOrDefault(wanted.getKey(), wanted.getValue())))
                && (nodeTerms.isEmpty() || nodeTerms.stream().anyMatch(term -> term.mayMatch(labels)));
    }

    /** Whether a node with only these labels satisfies the pod's own selector and required affinity. The name of the node is ignored. */
    public boolean asksForNoMoreThan(Map<String, String> labels) {
        return labels.entrySet().containsAll(nodeSelector.entrySet())
                && (nodeTerms.isEmpty()
                        || nodeTerms.stream()
                                .anyMatch(term -> term.mayMatch(labels)
                                        && term.labels().stream()
                                                .allMatch(requirement -> requirement.matches(labels))));
    }

    /** Returns a short description for people: tier, requests and selector. */
    @Override
    public String toString() {
        return (tier == null ? "" : "tier " + tier + ": ")
                + requests
                + (nodeSelector.isEmpty() ? "" : " on " + new TreeMap<>(nodeSelector));
    }
}
