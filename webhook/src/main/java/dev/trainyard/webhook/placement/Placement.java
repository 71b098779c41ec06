package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.GpuCounts;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Limits;
import dev.trainyard.webhook.pod.MutationNotes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The placement of a pod on the machines of its tier. The webhook only narrows the node constraints of the pod's author. The pod never gets
 * a node that these constraints exclude.
 */
public final class Placement {

    private static final JsonPointer NODE_NAME = JsonPointer.compile("/spec/nodeName");
    private static final JsonPointer SCHEDULER = JsonPointer.compile("/spec/schedulerName");
    private static final Set<String> DEFAULT_SCHEDULER = Set.of("", "default-scheduler");

    private Placement() {}

    /**
     * Returns warnings about node constraints that look like mistakes.
     *
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static List<String> doubts(Draft pod) {
        var notes = new MutationNotes();
        TierSelectors.check(pod, notes);
        return notes.warnings();
    }

    /**
     * Returns the pools to whose nodes the pod will be restricted. Empty if the pod gets no placement; the author's node constraints stay
     * unchanged in this case.
     *
     * @param shape the shape of {@code pod}
     * @param wish the kind of GPUs that the pod requests; pools that cannot have this kind are left out
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static List<Pool> pools(Draft pod, PodShape shape, Tier tier, GpuRequirement wish, MutationNotes notes) {
        TierSelectors.check(pod, notes);
        if (namesItsNode(pod)) {
            // No scheduler handles a pod that names its node. If an added affinity did not match, the kubelet of the
            // node would reject the pod.
            notes.reservation("no placement: spec.nodeName is already %s"
                    .formatted(UserText.shown(pod.at(NODE_NAME).asText())));
            return List.of();
        }
        if (tier.pools().isEmpty()) {
            notes.reservation("no placement: tier %s has no pool that can be used".formatted(tier.name()));
            return List.of();
        }
        var wished = meeting(wish, tier.pools());
        if (wished.isEmpty()) {
            notes.reservation(
                    "no placement: no pool of tier %s meets %s; %s".formatted(tier.name(), wish, kinds(tier)));
            return List.of();
        }
        var pools = RequiredAffinity.open(shape, wished);
        if (pools.isEmpty()) {
            notes.reservation("no placement: the pod's node selector or affinity excludes all pools of tier %s%s"
                    .formatted(tier.name(), wished.size() < tier.pools().size() ? " with " + wish : ""));
            return List.of();
        }
        if (RequiredAffinity.alternatives(shape, pools, leftOut(tier, wish)) > Limits.MOST_TERMS) {
            notes.reservation(
                    "no placement: the pod's node affinity, combined with the pools of tier %s, has more than %d terms"
                            .formatted(tier.name(), Limits.MOST_TERMS));
            return List.of();
        }
        return pools;
    }

    /**
     * Completes tolerations, affinity and scheduler, so that the pod runs on the nodes of {@code pools}.
     *
     * @param pools the result of {@link #pools}
     */
    public static void complete(
            Draft pod, PodShape shape, Tier tier, GpuRequirement wish, List<Pool> pools, MutationNotes notes) {
        if (!pools.isEmpty()) {
            Tolerations.complete(pod, shape, pools);
            RequiredAffinity.complete(pod, shape, pools, leftOut(tier, wish));
            PreferredAffinity.complete(pod, tier, pools);
            notes.given("placed on " + names(pools));
        }
        if (!namesItsNode(pod)) {
            // A pod that suits no pool today gets our scheduler too. If a pool suits the pod later, only our scheduler
            // admits the pod there.
            chooseScheduler(pod, notes);
        }
        if (!pools.isEmpty()
                && pools.stream()
                        .noneMatch(
                                pool -> shape.asksForNoMoreThan(pool.newNode().labels()))) {
            notes.reservation(whatNonePromises(shape, tier, pools));
        }
        if (!pools.isEmpty() && pools.stream().noneMatch(pool -> fits(shape, pool))) {
            notes.reservation(whyNoneFits(shape, tier, pools));
        }
    }

    private static boolean namesItsNode(Draft pod) {
        return !pod.at(NODE_NAME).asText("").isEmpty();
    }

    /** Returns the pools that may have GPUs of the requested kind, including pools whose kind is unknown. */
    private static List<Pool> meeting(GpuRequirement wish, List<Pool> pools) {
        return wish.isNone()
                ? pools
                : pools.stream().filter(pool -> wish.mayBeMetBy(pool.gpu())).toList();
    }

    /**
     * Returns the tier's pools that cannot have the requested kind of GPUs. Their nodes may have the labels of suitable pools, so the
     * affinity excludes them.
     */
    private static List<Pool> leftOut(Tier tier, GpuRequirement wish) {
        var wished = meeting(wish, tier.pools());
        return tier.pools().stream().filter(pool -> !wished.contains(pool)).toList();
    }

    private static String kinds(Tier tier) {
        return tier.pools().stream()
                .map(pool -> "%s has %s".formatted(pool.name(), pool.gpu()))
                .collect(Collectors.joining(", "));
    }

    private static void chooseScheduler(Draft pod, MutationNotes notes) {
        var named = pod.at(SCHEDULER).asText("");
        if (DEFAULT_SCHEDULER.contains(named)) {
            pod.put(SCHEDULER, JsonNodeFactory.instance.textNode(Names.SCHEDULER));
        } else if (!named.equals(Names.SCHEDULER)) {
            notes.reservation("the pod keeps its own scheduler %s".formatted(UserText.shown(named)));
        }
    }

    private static boolean fits(PodShape shape, Pool pool) {
        return pool.promise().allocatable().firstLacking(shape.requests()) == null;
    }

    /**
     * Describes the labels that the pod requires and no pool promises. No machine is launched for such a pod, because a new machine may
     * lack the labels.
     */
    private static String whatNonePromises(PodShape shape, Tier tier, List<Pool> pools) {
        return Stream.concat(
                        shape.nodeSelector().keySet().stream().sorted(),
                        shape.nodeTerms().stream()
                                .filter(term -> pools.stream()
                                        .anyMatch(pool ->
                                                term.mayMatch(pool.newNode().labels())))
                                .flatMap(term -> term.labels().stream())
                                .filter(requirement -> !requirement.matches(Map.of()))
                                .map(LabelRequirement::key))
                .filter(key ->
                        pools.stream().noneMatch(pool -> pool.newNode().labels().containsKey(key)))
                .findFirst()
                .map(key -> "no pool of tier %s promises label %s; the pod needs machines with this label"
                        .formatted(tier.name(), UserText.shown(key)))
                .orElseGet(() ->
                        "no pool of tier %s promises all labels that the pod requires; the pod needs machines with these labels"
                                .formatted(tier.name()));
    }

    private static String whyNoneFits(PodShape shape, Tier tier, List<Pool> pools) {
        var largest =
                pools.stream().max(Comparator.comparingLong(Pool::promisedGpus)).orElseThrow();
        if (shape.gpus() > largest.promisedGpus()) {
            return "too large: asks for %s, but the largest machines of tier %s, in pool %s, have %d"
                    .formatted(GpuCounts.of(shape.gpus()), tier.name(), largest.name(), largest.promisedGpus());
        }
        return "too large for a machine of tier %s: %s"
                .formatted(
                        tier.name(),
                        pools.stream()
                                .map(pool -> "%s lacks %s"
                                        .formatted(
                                                pool.name(),
                                                pool.promise().allocatable().firstLacking(shape.requests())))
                                .collect(Collectors.joining(", ")));
    }

    private static String names(List<Pool> pools) {
        return pools.stream().map(Pool::name).collect(Collectors.joining(", "));
    }
}
