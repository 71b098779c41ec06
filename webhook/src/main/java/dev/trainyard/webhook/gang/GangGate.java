package dev.trainyard.webhook.gang;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.MutationNotes;
import dev.trainyard.webhook.pod.PodGangs;
import java.util.stream.StreamSupport;

/**
 * The scheduling gate of pods whose gang starts whole. The scaler removes the gates of all pods of the gang as soon as there is room for all
 * of them.
 *
 * <p>A pod that something else starts together with its gang gets no gate. Otherwise two controllers could each wait for the other.
 */
public final class GangGate {

    private static final JsonPointer GATES = JsonPointer.compile("/spec/schedulingGates");
    private static final JsonPointer SCHEDULER = JsonPointer.compile("/spec/schedulerName");

    /** The API server removes this field unless Kubernetes' own gang scheduling is on. */
    private static final JsonPointer SCHEDULING_GROUP = JsonPointer.compile("/spec/schedulingGroup");

    private GangGate() {}

    /**
     * Adds the gate to a pod of a gang, even if the pod's statement about the gang is invalid: the scaler reports the mistake on the pod.
     *
     * @param pod a pod whose tier starts gangs whole, with its placement and scheduler
     * @param namespace the request's namespace
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    public static void complete(Draft pod, String namespace, MutationNotes notes) {
        boolean isHeld = isOn(pod.at(GATES));
        if ((isHeld || mayHold(pod)) && PodGangs.of(pod.tree(), namespace).isPresent()) {
            if (!isHeld) {
                pod.append(GATES, JsonNodeFactory.instance.objectNode().put("name", Names.GANG_GATE));
            }
            notes.given("held until there is room for its whole gang");
        }
    }

    /** Whether the gate is in a list of scheduling gates. */
    public static boolean isOn(JsonNode gates) {
        return StreamSupport.stream(gates.spliterator(), false)
                .anyMatch(gate -> gate.path("name").asText().equals(Names.GANG_GATE));
    }

    private static boolean mayHold(Draft pod) {
        return pod.at(GATES).isEmpty()
                && pod.at(SCHEDULER).asText().equals(Names.SCHEDULER)
                && pod.at(SCHEDULING_GROUP).isMissingNode();
    }
}
