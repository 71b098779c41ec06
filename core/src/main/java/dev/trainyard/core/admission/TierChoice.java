package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.gpu.GpuWish;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.GpuWords;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.GpuCount;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which tier a pod belongs to: the one that its annotation names; for a pod that asks for GPUs also the one that its namespace's
 * annotation names, else the default tier for that many GPUs of which a pool may meet the pod's wish, and its own node selector and
 * affinity. One that has a pool of which it is known comes before one that nobody knows it of; then the narrowest range wins, then the
 * name.
 *
 * <p>That annotation of a namespace says nothing about its CPU-only pods: the API server does not even send those, since it cannot look
 * at namespace annotations in a webhook's match conditions. A namespace whose label has all of its pods sent names their tier by an
 * annotation of its own, {@link Names#CPU_TIER}.
 */
public sealed interface TierChoice {

    /**
     * The pod belongs to a tier.
     *
     * @param wish what kind of GPUs the pod wishes for; perhaps not all pools of the tier, or none, can meet it
     */
    record Chosen(Tier tier, GpuWish wish) implements TierChoice {}

    /**
     * The pod is not Trainyard's.
     *
     * @param why for the pod's author
     * @param wantsGpu whether it asks for GPUs
     */
    record NotForUs(String why, boolean wantsGpu, boolean worthAWarning) implements TierChoice {}

    /**
     * Chooses the tier of a pod.
     *
     * @throws RefusedPodException when a tier is named that cannot be used, with a list of those that can; or when the pod asks for GPUs
     *     of a kind that cannot be understood
     */
    static TierChoice of(PodOrigin pod, PodShape shape, Catalogue catalogue) throws RefusedPodException {
        long gpus = shape.gpus();
        var named = pod.annotation(Names.TIER);
        if (named.isPresent()) {
            var tier = named("annotation " + Names.TIER, named.get(), catalogue);
            return new Chosen(tier, gpus == 0 ? GpuWish.NONE : wish(pod));
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
                .orElseGet(() -> new NotForUs(
                        defaults.isEmpty()
                                ? whyNoDefault(gpus, catalogue)
                                : meeting.isEmpty()
                                        ? whyNoneMeets(gpus, wish, defaults, catalogue)
                                        : whyNoneIsOpen(wish, meeting),
                        true,
                        true));
    }

    private static GpuWish wish(PodOrigin pod) throws RefusedPodException {
        try {
            return GpuWish.of(pod.annotations());
        } catch (IllegalArgumentException e) {
            throw new RefusedPodException(String.valueOf(e.getMessage()));
        }
    }

    /** A namespace's mistake must not keep all of its pods from running: it costs them their place, and is warned of. */
    private static TierChoice ofCpuPod(PodOrigin pod, Catalogue catalogue) {
        var why = "asks for no GPU and names no tier";
        var inNamespace = pod.namespaceAnnotation(Names.CPU_TIER);
        if (inNamespace.isEmpty()) {
            return new NotForUs(why, false, false);
        }
        if (!pod.facts().sendsAllPods()) {
            return new NotForUs(
                    why
                            + "; annotation %s of namespace %s counts only beside label %s: \"true\""
                                    .formatted(Names.CPU_TIER, pod.namespace(), Names.ALL_PODS),
                    false,
                    false);
        }
        try {
            var place = "annotation %s of namespace %s".formatted(Names.CPU_TIER, pod.namespace());
            return new Chosen(named(place, inNamespace.get(), catalogue), GpuWish.NONE);
        } catch (RefusedPodException e) {
            return new NotForUs(String.valueOf(e.getMessage()), false, true);
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
                                        "TrainingTier '%s' is wrong (%s)".formatted(UserText.shown(name), message))
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

    private static boolean mayMeet(GpuWish wish, Tier tier) {
        return wish.isNone() || tier.pools().stream().anyMatch(pool -> wish.mayBeMetBy(pool.gpu()));
    }

    /** Tiers of which it is known that they meet the wish come first. */
    private static Comparator<Tier> byKnowledge(GpuWish wish) {
        return Comparator.comparing(
                tier -> !wish.isNone() && tier.pools().stream().noneMatch(pool -> wish.isMetBy(pool.gpu())));
    }

    /**
     * The tiers that are a default for some number of GPUs. Of those for a pod's number the first one is chosen, unless the pod wishes for
     * a kind of GPU.
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

    /** Whether the pod's own node selector and affinity leave a pool; a tier without any is not closed by them. */
    private static boolean isOpen(Tier tier, GpuWish wish, PodShape shape) {
        return tier.pools().isEmpty()
                || poolsThatMayMeet(wish, tier)
                        .anyMatch(pool -> shape.mayRunOn(pool.promise().labels()));
    }

    /** Tiers whose promises are all that the pod's own node selector and affinity ask for come first. */
    private static Comparator<Tier> byPromise(GpuWish wish, PodShape shape) {
        return Comparator.comparing(tier -> poolsThatMayMeet(wish, tier)
                .noneMatch(pool -> shape.asksForNoMoreThan(pool.promise().labels())));
    }

    private static Stream<Pool> poolsThatMayMeet(GpuWish wish, Tier tier) {
        return tier.pools().stream().filter(pool -> wish.isNone() || wish.mayBeMetBy(pool.gpu()));
    }

    private static long width(Tier tier) {
        return tier.defaultGpus().map(range -> range.max() - range.min()).orElse(Long.MAX_VALUE);
    }

    /** What to do comes before the lists, since warnings are cut. */
    private static String whyNoDefault(long gpus, Catalogue catalogue) {
        var defaults = catalogue.tiers().values().stream()
                .flatMap(tier -> tier.defaultGpus().map(range -> describe(tier, range)).stream())
                .collect(Collectors.joining(", "));
        return "asks for %s, no default tier is for that: annotate it with %s; %s"
                .formatted(
                        GpuWords.of(gpus),
                        Names.TIER,
                        defaults.isEmpty() ? "no tier is a default" : "there are " + defaults);
    }

    /**
     * To name a tier helps only when there is one, no default, that is known to meet the wish: pools that miss it are left out of any.
     *
     * @param defaults those for that many GPUs, none of which meets the wish
     */
    private static String whyNoneMeets(long gpus, GpuWish wish, List<Tier> defaults, Catalogue catalogue) {
        var unmet = wish.parts().stream()
                .filter(part -> defaults.stream().noneMatch(tier -> mayMeet(part, tier)))
                .findFirst()
                .orElse(wish);
        var others = catalogue.tiers().values().stream()
                .filter(tier -> tier.pools().stream().anyMatch(pool -> wish.isMetBy(pool.gpu())))
                .map(Tier::name)
                .collect(Collectors.joining(", "));
        return "asks for %s, no default tier for that meets its wish: change or drop %s%s; there are %s"
                .formatted(
                        GpuWords.of(gpus),
                        unmet,
                        others.isEmpty() ? "" : ", or annotate it with %s (%s)".formatted(Names.TIER, others),
                        defaults.stream().map(TierChoice::describeKinds).collect(Collectors.joining(", ")));
    }

    /** @param tiers the defaults whose pools it excludes */
    private static String whyNoneIsOpen(GpuWish wish, List<Tier> tiers) {
        return "its own node selector or affinity excludes all pools%s of default %s %s; annotate it with %s"
                .formatted(
                        wish.isNone() ? "" : " with " + wish,
                        tiers.size() == 1 ? "tier" : "tiers",
                        tiers.stream().map(Tier::name).sorted().collect(Collectors.joining(", ")),
                        Names.TIER);
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
