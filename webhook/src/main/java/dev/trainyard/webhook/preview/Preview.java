package dev.trainyard.webhook.preview;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.namespace.NamespaceSource;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.ArrayList;
import java.util.List;

/**
 * An object as it would be if its pods, or those of its pod templates, were completed.
 *
 * @param object with every pod completed that is not refused
 * @param remarks what the webhook would say, each with the place in the object that it is about
 * @param refused whether a pod would be rejected
 */
public record Preview(ObjectNode object, List<String> remarks, boolean refused) {

    private static final String DEFAULT_NAMESPACE = "default";

    public Preview {
        remarks = List.copyOf(remarks);
    }

    /** Never changes {@code object}. Pod templates are found wherever they stand, in objects of any kind. */
    public static Preview of(ObjectNode object, PodDecider decider, Catalogue catalogue, NamespaceSource namespaces) {
        var namespace = object.path("metadata").path("namespace").asText(DEFAULT_NAMESPACE);
        var after = object.deepCopy();
        var remarks = new ArrayList<String>();
        boolean refused = false;
        for (var place : pods(object, JsonPointer.empty(), new ArrayList<>())) {
            var pod = (ObjectNode) object.at(place);
            var decision = decider.decide(pod, namespace, namespaces.facts(namespace), catalogue);
            var label = place.equals(JsonPointer.empty()) ? "" : place + ": ";
            said(decision).forEach(remark -> remarks.add(label + remark));
            refused |= decision instanceof Refused || decision instanceof Postponed;
            if (decision instanceof Completed completed) {
                var patched = (ObjectNode) JsonPatch.apply(completed.patch().deepCopy(), pod.deepCopy());
                ((ObjectNode) after.at(place)).removeAll().setAll(patched);
            }
        }
        return new Preview(after, remarks, refused);
    }

    private static List<String> said(Decision decision) {
        var said = new ArrayList<String>();
        if (decision instanceof Completed completed) {
            said.add("tier " + completed.tier());
            said.addAll(completed.warnings());
        } else if (decision instanceof Untouched untouched) {
            said.add("left alone: " + untouched.reason());
        } else if (decision instanceof Refused refused) {
            said.add("refused: " + refused.message());
        } else if (decision instanceof Postponed postponed) {
            said.add("refused for now: " + postponed.message());
        } else if (decision instanceof Failed failed) {
            said.add("left alone, since it cannot be completed: " + failed.problem());
        }
        return said;
    }

    /** Where there is a pod: what has {@code spec.containers}. */
    private static List<JsonPointer> pods(JsonNode node, JsonPointer place, List<JsonPointer> found) {
        if (node.path("spec").path("containers").isArray()) {
            found.add(place);
        } else if (node.isObject()) {
            node.properties().forEach(member -> pods(member.getValue(), place.appendProperty(member.getKey()), found));
        } else if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                pods(node.get(index), place.appendIndex(index), found);
            }
        }
        return found;
    }
}
