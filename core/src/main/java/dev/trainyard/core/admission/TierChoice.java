package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.GpuCounts;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.GpuCount;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The choice of the tier that a pod belongs to. The pod's own annotation decides first. For a pod that requests GPUs, the annotation of its
 * namespace decides next.
 *
 * <p>A pod that requests GPUs and has neither annotation gets a default tier for the number of GPUs. Such a tier needs a pool that may
 * satisfy the pod's requested kind of GPU, node selector and node affinity. If several tiers qualify, the pod gets the best tier by four
 * criteria, the most important first: the tier has a pool that is known to satisfy the requested kind of GPU; the promised labels of a pool
 * satisfy the selector and the affinity; the tier's range of GPU counts is the narrowest; the tier's name is alphabetically first.
 *
 * <p>The namespace annotation does not apply to CPU-only pods. The API server does not send such pods to the webhook, because a webhook's
 * match conditions cannot read namespace annotations. The label {@link Names#ALL_PODS} of a namespace makes the API server send all pods.
 * In such a namespace, the annotation {@link Names#CPU_TIER} names the tier of CPU-only pods.
 */
public sealed interface TierChoice {

    /**
     * The pod belongs to a tier.
     *
     * @param wish the requested kind of GPU; the tier may lack a pool that satisfies this request
     */
    record Chosen(Tier tier, GpuRequirement wish) implements TierChoice {}

    /**
     * The pod belongs to no tier.
     *
     * @param why the reason, for the pod's author
     * @param wantsGpu whether the pod requests GPUs
     */
    record Unassigned(String why, boolean wantsGpu, boolean needsWarning) implements TierChoice {}

    /**
     * Chooses the tier of a pod.
     *
     * @throws RefusedPodException if the named tier cannot be used (the message lists the usable tiers), or if the requested kind of GPU is
     *     invalid
     */
    static TierChoice of(PodOrigin pod, PodShape shape, Catalogue catalogue) throws RefusedPodException {
        long gpus = shape.gpus();
        var named = pod.annotation(Names.TIER);
        if (named.isPresent()) {
            var tier = named("annotation " + Names.TIER, named.get(), catalogue);
            return new Chosen(tier, gpus == 0 ? GpuRequirement.NONE : wish(pod));
        }
        if (gpus == 0) {
            return ofCpuPod(pod, catalogue);
        }
        var wish = wish(pod);
        var inNamespace = pod.namespaceAnnotation(Names.TIER);
        if (inNamespace.isPresent()) {
            var place = "annotation %s of namespace %s".formatted(Names.TIER, pod.namespace());
            return new Chosen(named(place, inNamespace.get(), catalogue), wish);
        }
        var defaults = defaultsFor(gpus, catalogue);
        var meeting = defaults.stream().filter(tier -> mayMeet(wish, tier)).toList();
        return meeting.stream()
                .filter(tier -> isOpen(tier, wish, shape))
                .min(byKnowledge(wish).thenComparing(byPromise(wish, shape)).thenComparing(byRange()))
                .<TierChoice>map(tier -> new Chosen(tier, wish))
                .orElseGet(() -> new Unassigned(
                        defaults.isEmpty()
                                ? whyNoDefault(gpus, catalogue)
                                : meeting.isEmpty()
                                        ? whyNoneMeets(gpus, wish, defaults, catalogue)
                                        : whyNoneIsOpen(wish, meeting),
                        true,
                        true));
    }

    private static GpuRequirement wish(PodOrigin pod) throws RefusedPodException {
        try {
            return GpuRequirement.of(pod.annotations());
        } catch (IllegalArgumentException e) {
            throw new RefusedPodException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Chooses the tier of a CPU-only pod. If the annotation of the namespace is invalid, the pod gets no tier, and the user gets a warning.
     * A rejection would keep all CPU-only pods of the namespace from running.
     */
    private static TierChoice ofCpuPod(PodOrigin pod, Catalogue catalogue) {
        var why = "asks for no GPU and names no tier";
        var inNamespace = pod.namespaceAnnotation(Names.CPU_TIER);
        if (inNamespace.isEmpty()) {
            return new Unassigned(why, false, false);
        }
        if (!pod.facts().sendsAllPods()) {
            return new Unassigned(
                    why
                            + "; annotation %s of namespace %s has no effect without its label %s: \"true\""
                                    .formatted(Names.CPU_TIER, pod.namespace(), Names.ALL_PODS),
                    false,
                    false);
        }
        try {
            var place = "annotation %s of namespace %s".formatted(Names.CPU_TIER, pod.namespace());
            return new Chosen(named(place, inNamespace.get(), catalogue), GpuRequirement.NONE);
        } catch (RefusedPodException e) {
            return new Unassigned(String.valueOf(e.getMessage()), false, true);
        }
    }

    private static Tier named(String place, String name, Catalogue catalogue) throws RefusedPodException {
        var tier = catalogue.tiers().get(name);
        if (tier != null) {
            return tier;
        }
        var problem = catalogue.problems().stream()
                .filter(candidate -> candidate.kind().equals("TrainingTier")
                        && candidate.name().equals(name))
                .findFirst()
                .map(Problem::message);
        throw new RefusedPodException("%s: %s; tiers that can be used: %s"
                .formatted(
                        place,
                        problem.map(message ->
                                        "TrainingTier '%s' is invalid (%s)".formatted(UserText.shown(name), message))
                                .orElse("there is no TrainingTier '%s'".formatted(UserText.shown(name))),
                        catalogue.tiers().isEmpty()
                                ? "none"
                                : String.join(", ", catalogue.tiers().keySet())));
    }

    private static List<Tier> defaultsFor(long gpus, Catalogue catalogue) {
        return catalogue.tiers().values().stream()
                .filter(tier ->
                        tier.defaultGpus().map(range -> range.contains(gpus)).orElse(false))
                .toList();
    }

    private static boolean mayMeet(GpuRequirement wish, Tier tier) {
        return wish.isNone() || tier.pools().stream().anyMatch(pool -> wish.mayBeMetBy(pool.gpu()));
    }

    /** Compares tiers: tiers with a pool that is known to satisfy the requested kind of GPU come first. */
    private static Comparator<Tier> byKnowledge(GpuRequirement wish) {
        return Comparator.comparing(
                tier -> !wish.isNone() && tier.pools().stream().noneMatch(pool -> wish.isMetBy(pool.gpu())));
    }

    /**
     * Returns the tiers that are a default for some number of GPUs, the narrowest range first. A pod normally gets the first tier whose
     * range includes the pod's number of GPUs. The order may differ if the pod requests a kind of GPU or restricts its nodes.
     */
    static List<Tier> defaults(Catalogue catalogue) {
        return catalogue.tiers().values().stream()
                .filter(tier -> tier.defaultGpus().isPresent())
                .sorted(byRange())
                .toList();
    }

    private static Comparator<Tier> byRange() {
        return Comparator.comparingLong(TierChoice::width).thenComparing(Tier::name);
    }

    /**
     * Whether the pod's own node selector and affinity allow a pool of the tier that may satisfy the requested kind of GPU. True if the
     * tier has no pools.
     */
    private static boolean isOpen(Tier tier, GpuRequirement wish, PodShape shape) {
        return tier.pools().isEmpty()
                || poolsThatMayMeet(wish, tier)
                        .anyMatch(pool -> shape.mayRunOn(pool.promise().labels()));
    }

    /** Compares tiers: tiers with a pool whose promised labels satisfy the pod's own node selector and affinity come first. */
    private static Comparator<Tier> byPromise(GpuRequirement wish, PodShape shape) {
        return Comparator.comparing(tier -> poolsThatMayMeet(wish, tier)
                .noneMatch(pool -> shape.asksForNoMoreThan(pool.promise().labels())));
    }

    private static Stream<Pool> poolsThatMayMeet(GpuRequirement wish, Tier tier) {
        return tier.pools().stream().filter(pool -> wish.isNone() || wish.mayBeMetBy(pool.gpu()));
    }

    private static long width(Tier tier) {
        return tier.defaultGpus().map(range -> range.max() - range.min()).orElse(Long.MAX_VALUE);
    }

    /**
     * Explains that no tier is the default for the number of GPUs. The advice comes before the list of tiers, because long warnings are
     * truncated.
     */
    private static String whyNoDefault(long gpus, Catalogue catalogue) {
        var defaults = catalogue.tiers().values().stream()
                .flatMap(tier -> tier.defaultGpus().map(range -> describe(tier, range)).stream())
                .collect(Collectors.joining(", "));
        return "asks for %s, but no tier is the default for that number: name a tier in annotation %s; %s"
                .formatted(
                        GpuCounts.of(gpus),
                        Names.TIER,
                        defaults.isEmpty() ? "no tier has spec.default" : "default tiers: " + defaults);
    }

    /**
     * Explains why no default tier satisfies the GPU request. The message suggests only tiers with a pool that is known to satisfy the
     * request. In every other tier, the pod would fit no new machine.
     *
     * @param defaults the default tiers for that number of GPUs; none satisfies the request
     */
    private static String whyNoneMeets(long gpus, GpuRequirement wish, List<Tier> defaults, Catalogue catalogue) {
        var unmet = wish.parts().stream()
                .filter(part -> defaults.stream().noneMatch(tier -> mayMeet(part, tier)))
                .findFirst()
                .orElse(wish);
        var others = catalogue.tiers().values().stream()
                .filter(tier -> tier.pools().stream().anyMatch(pool -> wish.isMetBy(pool.gpu())))
                .map(Tier::name)
                .collect(Collectors.joining(", "));
        return "asks for %s, but no default tier has the requested kind: change or remove %s%s; default tiers: %s"
                .formatted(
                        GpuCounts.of(gpus),
                        unmet,
                        others.isEmpty() ? "" : ", or name a tier in annotation %s (%s)".formatted(Names.TIER, others),
                        defaults.stream().map(TierChoice::describeKinds).collect(Collectors.joining(", ")));
    }

    /**
     * Explains that the pod's own constraints exclude the default tiers. The advice comes before the list of tiers, because long warnings
     * are truncated.
     *
     * @param tiers the default tiers whose pools the pod excludes
     */
    private static String whyNoneIsOpen(GpuRequirement wish, List<Tier> tiers) {
        return "the pod's node selector or affinity excludes all %spools of default tiers: set annotation %s; default tiers%s: %s"
                .formatted(
                        wish.isNone() ? "" : "suitable ",
                        Names.TIER,
                        wish.isNone() ? "" : " with " + wish,
                        tiers.stream().map(Tier::name).sorted().collect(Collectors.joining(", ")));
    }

    private static String describeKinds(Tier tier) {
        var kinds = tier.pools().stream()
                .map(pool -> pool.gpu().toString())
                .distinct()
                .collect(Collectors.joining(" or "));
        return "%s (%s)".formatted(tier.name(), kinds.isEmpty() ? "no pool that can be used" : kinds);
    }

    private static String describe(Tier tier, GpuCount range) {
        return range.max() == Long.MAX_VALUE
                ? "%s (%d or more)".formatted(tier.name(), range.min())
                : "%s (%d to %d)".formatted(tier.name(), range.min(), range.max());
    }
}
