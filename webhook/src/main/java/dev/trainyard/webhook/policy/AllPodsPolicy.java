package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.webhook.checkpoint.AnnotationsFile;
import java.util.LinkedHashMap;
import java.util.stream.Collectors;

/**
 * The MutatingAdmissionPolicy for pods without a GPU in namespaces with the label {@link Names#ALL_PODS}. Such a namespace can name a tier
 * and image pull Secrets for these pods. The policy is {@code completion.yaml} with the data of all tiers. CEL picks the tier that the
 * namespace names, if any.
 */
final class AllPodsPolicy {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private AllPodsPolicy() {}

    static ObjectNode of(String name, Catalogue catalogue, Rules rules) {
        var pools = catalogue.tiers().values().stream()
                .map(tier -> NODES.textNode(tier.name()) + ": dyn(" + Cel.literal(PoolData.of(tier)) + ")")
                .collect(Collectors.joining(",\n", "{\n", "}"));
        var data = new LinkedHashMap<String, String>();
        data.put("poolsOfTiers", pools);
        data.put(
                "tier",
                "string(namespaceObject.metadata.?annotations[?'%s'].orValue('')).trim()".formatted(Names.CPU_TIER));
        data.put("isOfTier", "variables.tier in variables.poolsOfTiers");
        data.put(
                "text",
                "(variables.isOfTier ? 'tier ' + variables.tier + '; ' : '') + 'completed by a MutatingAdmissionPolicy'");
        data.put("isOurs", "variables.gpus == 0 && (variables.isOfTier || variables.secretNames.size() > 0)");
        data.put("driver", "'none'");
        data.put("mounts", "[]");
        data.put("grace", "variables.isOfTier ? %s[variables.tier] : 0".formatted(graces(catalogue)));
        data.put(
                "fileVolumeNames",
                "variables.tier in %s ? %s : []".formatted(tiersWithFile(catalogue), fileVolumeNames()));
        data.put("pools", "variables.isOfTier ? variables.poolsOfTiers[variables.tier] : []");
        var policy = rules.policy("MutatingAdmissionPolicy", name, Rules.NAMES_NO_TIER, data, "completion.yaml");
        policy.withObject("/spec/matchConstraints/namespaceSelector/matchLabels")
                .put(Names.ALL_PODS, "true");
        return policy;
    }

    /** Returns the seconds of grace that each tier states, zero if none, as a CEL map. */
    private static String graces(Catalogue catalogue) {
        var graces = NODES.objectNode();
        catalogue
                .tiers()
                .values()
                .forEach(tier ->
                        graces.put(tier.name(), tier.checkpoint().grace().toSeconds()));
        return Cel.literal(graces);
    }

    private static String tiersWithFile(Catalogue catalogue) {
        var tiers = NODES.arrayNode();
        catalogue.tiers().values().stream()
                .filter(tier -> tier.checkpoint().annotationsFile())
                .forEach(tier -> tiers.add(tier.name()));
        return Cel.literal(tiers);
    }

    private static String fileVolumeNames() {
        var names = NODES.arrayNode();
        new AnnotationsFile().volumeNames().limit(TierPolicy.VOLUME_NAMES).forEach(names::add);
        return Cel.literal(names);
    }
}
