package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import java.util.LinkedHashMap;

/**
 * The ValidatingAdmissionPolicy that refuses the pods that the webhook would refuse, with the same messages. A mutating policy cannot
 * refuse a pod, and a pod of a missing tier would never get a node.
 */
final class RefusalPolicy {

    private RefusalPolicy() {}

    static ObjectNode of(String name, Catalogue catalogue, Rules rules) {
        var tiers = JsonNodeFactory.instance.arrayNode();
        catalogue.tiers().keySet().forEach(tiers::add);
        var wrong = JsonNodeFactory.instance.objectNode();
        catalogue.problems().stream()
                .filter(problem -> problem.kind().equals("TrainingTier")
                        && !catalogue.tiers().containsKey(problem.name()))
                .forEach(problem -> wrong.put(problem.name(), problem.message()));
        var data = new LinkedHashMap<String, String>();
        data.put("tiers", Cel.literal(tiers));
        data.put("wrongTiers", Cel.literal(wrong));
        return rules.policy("ValidatingAdmissionPolicy", name, Rules.WANTS_GPU_OR_NAMES_TIER, data, "refusal.yaml");
    }
}
