package dev.trainyard.webhook.tier;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.GpuCount;
import dev.trainyard.webhook.pod.GpuResources;
import dev.trainyard.webhook.pod.PodRequest;
import dev.trainyard.webhook.pod.RefusedPodException;
import dev.trainyard.webhook.pod.UserText;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which tier a pod belongs to: the one that its annotation names; for a pod that asks for GPUs also the one that its namespace's
 * annotation names, else the default tier for that many GPUs (the narrowest range wins, then the name).
 *
 * <p>A namespace's annotation says nothing about its CPU-only pods: the API server does not even send those, since it cannot look at
 * namespace annotations in a webhook's match conditions.
 */
public sealed interface TierChoice {

    record Chosen(Tier tier) implements TierChoice {}

    /** @param why for the pod's author */
    record NotForUs(String why, boolean worthAWarning) implements TierChoice {}

    /** @throws RefusedPodException when a tier is named that cannot be used; the message lists those that can */
    static TierChoice of(PodRequest request, long gpus, Catalogue catalogue) throws RefusedPodException {
        var named = request.annotation(Names.TIER);
        if (named.isPresent()) {
            return new Chosen(named("annotation " + Names.TIER, named.get(), catalogue));
        }
        if (gpus == 0) {
            return new NotForUs("asks for no GPU and names no tier", false);
        }
        var inNamespace = request.namespaceAnnotation(Names.TIER);
        if (inNamespace.isPresent()) {
            var place = "annotation %s of namespace %s".formatted(Names.TIER, request.namespace());
            return new Chosen(named(place, inNamespace.get(), catalogue));
        }
        return defaultFor(gpus, catalogue)
                .<TierChoice>map(Chosen::new)
                .orElseGet(() -> new NotForUs(whyNoDefault(gpus, catalogue), true));
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

    private static Optional<Tier> defaultFor(long gpus, Catalogue catalogue) {
        return catalogue.tiers().values().stream()
                .filter(tier ->
                        tier.defaultGpus().map(range -> range.contains(gpus)).orElse(false))
                .min(Comparator.<Tier>comparingLong(tier ->
                                tier.defaultGpus().map(TierChoice::width).orElse(Long.MAX_VALUE))
                        .thenComparing(Tier::name));
    }

    private static long width(GpuCount range) {
        return range.max() - range.min();
    }

    private static String whyNoDefault(long gpus, Catalogue catalogue) {
        var defaults = catalogue.tiers().values().stream()
                .flatMap(tier -> tier.defaultGpus().map(range -> describe(tier, range)).stream())
                .collect(Collectors.joining(", "));
        return "asks for %s, no default tier is for that; ".formatted(GpuResources.words(gpus))
                + (defaults.isEmpty() ? "no tier is a default" : "there are " + defaults)
                + "; annotate it with " + Names.TIER;
    }

    private static String describe(Tier tier, GpuCount range) {
        return range.max() == Long.MAX_VALUE
                ? "%s (%d or more)".formatted(tier.name(), range.min())
                : "%s (%d to %d)".formatted(tier.name(), range.min(), range.max());
    }
}
