package dev.trainyard.core.pod;

import dev.trainyard.core.gpu.GpuWish;
import dev.trainyard.core.resource.Resources;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All that decides where a pod may run, whatever other pods there are: two pods of equal shape are the same to the scheduler's filters and
 * are folded together. What it is to other pods is in {@link PodRelations}.
 *
 * @param requests what the pod takes from its node, one {@code pods} included
 * @param nodeSelector labels that its node must have
 * @param nodeTerms required node affinity: any one must match; empty = no such demand
 * @param tolerations taints that it puts up with
 * @param hostPorts ports of its node that it takes for itself
 * @param tier the tier it is annotated with; null when none
 * @param wish what kind of GPUs it wishes for
 * @param unmodelled constraints of the pod that {@link dev.trainyard.core.fit.Fit} does not judge, in words for people; such a pod is
 *     planned for as if it did not have them, and says so
 */
public record PodShape(
        Resources requests,
        Map<String, String> nodeSelector,
        List<NodeTerm> nodeTerms,
        List<Toleration> tolerations,
        Set<HostPort> hostPorts,
        @Nullable String tier,
        GpuWish wish,
        SortedSet<String> unmodelled) {

    /** The constraint of a pod that asks for devices by resource claims, which no pool promises. */
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

    /** Whether the pod asks for devices by resource claims. The kind of device is not known. */
    public boolean hasResourceClaims() {
        return unmodelled.contains(RESOURCE_CLAIMS);
    }

    /** Whether its required affinity names nodes and nothing else will do, as that of a DaemonSet's pods does. */
    public boolean namesItsNode() {
        return !nodeTerms.isEmpty() && nodeTerms.stream().allMatch(NodeTerm::namesNodes);
    }

    /** The same for a pod that asks for nothing: pods that are equal so may run on the same machines, room aside. */
    public PodShape withoutRequests() {
        return new PodShape(Resources.NONE, nodeSelector, nodeTerms, tolerations, hostPorts, tier, wish, unmodelled);
    }

    /** Whether a node with these labels, and perhaps others, may be what the pod's own selector and required affinity ask for. */
    public boolean mayRunOn(Map<String, String> labels) {
        return nodeSelector.entrySet().stream()
                        .allMatch(wanted ->
                                wanted.getValue().equals(labels.getOrDefault(wanted.getKey(), wanted.getValue())))
                && (nodeTerms.isEmpty() || nodeTerms.stream().anyMatch(term -> term.mayMatch(labels)));
    }

    /** Whether a node with these labels and no others is so, whatever its name. */
    public boolean asksForNoMoreThan(Map<String, String> labels) {
        return labels.entrySet().containsAll(nodeSelector.entrySet())
                && (nodeTerms.isEmpty()
                        || nodeTerms.stream()
                                .anyMatch(term -> term.mayMatch(labels)
                                        && term.labels().stream()
                                                .allMatch(requirement -> requirement.matches(labels))));
    }

    /** A short description for people: tier, requests and selector. */
    @Override
    public String toString() {
        return (tier == null ? "" : "tier " + tier + ": ")
                + requests
                + (nodeSelector.isEmpty() ? "" : " on " + new TreeMap<>(nodeSelector));
    }
}
