package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.admission.PodOrigin;
import dev.trainyard.runtime.configuration.Catalogues;
import io.fabric8.kubernetes.api.model.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A check that the tiers and labels of namespaces are valid. */
final class NamespacesCheck implements Check {

    private static final String ABOUT = "namespaces";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var configuration = seen.configuration();
        if (configuration.namespaces().value().isEmpty()) {
            return List.of(configuration.namespaces().notChecked(ABOUT));
        }
        if (configuration.pools().value().isEmpty()
                || configuration.tiers().value().isEmpty()) {
            return List.of(); // another check reports unreadable pools and tiers
        }
        var tiers = Catalogues.of(
                        configuration.pools().value().get(),
                        configuration.tiers().value().get())
                .tiers()
                .keySet();
        return look(configuration.namespaces().value().get(), tiers);
    }

    private static List<Finding> look(List<Namespace> namespaces, Set<String> tiers) {
        var findings = new ArrayList<Finding>();
        for (var namespace : namespaces) {
            if (namespace.getMetadata().getDeletionTimestamp() != null) {
                continue;
            }
            var object = "Namespace " + namespace.getMetadata().getName();
            for (var name : List.of(Names.TIER, Names.CPU_TIER)) {
                PodOrigin.annotation(annotations(namespace), name)
                        .filter(tier -> !tiers.contains(tier))
                        .map(tier -> Finding.error(ABOUT, "the namespace names a missing or unusable tier for its pods")
                                .on(object)
                                .field(
                                        "annotation " + name,
                                        tier,
                                        tiers.isEmpty() ? "none" : String.join(" or ", tiers))
                                .todo("name another tier in the annotation, or create or correct this TrainingTier")
                                .see(TroubleshootingTopic.NO_SUCH_TIER))
                        .ifPresent(findings::add);
            }
            var all = labels(namespace).get(Names.ALL_PODS);
            if (all != null && !all.equals("true")) {
                findings.add(Finding.warning(ABOUT, "the label has an effect only with the value \"true\"")
                        .on(object)
                        .field("label " + Names.ALL_PODS, all, "true, or no such label")
                        .todo("set the label to true, or remove the label")
                        .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
            }
            if (PodOrigin.annotation(annotations(namespace), Names.CPU_TIER).isPresent() && all == null) {
                findings.add(Finding.warning(
                                ABOUT,
                                "the namespace names a tier for pods without a GPU, but lacks the label that sends such pods to the webhook")
                        .on(object)
                        .field("label " + Names.ALL_PODS, "", "true")
                        .todo("add the label, or remove annotation " + Names.CPU_TIER)
                        .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
            }
            if (labels(namespace).containsKey(Names.TIER)) {
                findings.add(Finding.warning(
                                ABOUT, "the namespace names a tier in a label, but only an annotation has an effect")
                        .on(object)
                        .field(
                                "label " + Names.TIER,
                                labels(namespace).getOrDefault(Names.TIER, ""),
                                "an annotation of the same name")
                        .todo("name the tier in an annotation instead of a label")
                        .see(TroubleshootingTopic.NO_SUCH_TIER));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "the settings of %d namespaces are valid".formatted(namespaces.size())))
                : findings;
    }

    /** Returns the tier in the namespace's annotation for its pods; empty if there is none. */
    static Optional<String> tier(Namespace namespace) {
        return PodOrigin.annotation(annotations(namespace), Names.TIER);
    }

    /** Whether pods that request no GPU and name no tier are sent to the webhook too. */
    static boolean sendsAllPods(Namespace namespace) {
        return "true".equals(labels(namespace).get(Names.ALL_PODS));
    }

    private static Map<String, String> annotations(Namespace namespace) {
        return Optional.ofNullable(namespace.getMetadata().getAnnotations()).orElse(Map.of());
    }

    private static Map<String, String> labels(Namespace namespace) {
        return Optional.ofNullable(namespace.getMetadata().getLabels()).orElse(Map.of());
    }
}
