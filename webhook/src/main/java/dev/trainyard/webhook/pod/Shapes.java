package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.webhook.patch.Draft;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** Reads what decides a pod's placement. Only ever reads: a pod that was written back from types would lose what they do not know. */
public final class Shapes {

    private static final ObjectReader PODS = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build()
            .readerFor(Pod.class);

    private Shapes() {}

    /** @throws IllegalArgumentException when the pod holds something that is not what it should be; the message says what */
    public static PodShape of(Draft pod) {
        try {
            refuseNullItems(pod.tree().path("spec"), "spec");
            Pod typed = PODS.readValue(pod.tree());
            if (typed.getMetadata() == null) {
                typed.setMetadata(new ObjectMeta()); // pod templates may do without
            }
            return PodReader.shapeOf(typed);
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException(
                    "%s is not what a pod may have there%s".formatted(place(e), expected(e)), e);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** No list of a pod may have them, and the typed pod would hold them as traps. */
    private static void refuseNullItems(JsonNode node, String place) {
        if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                var item = place + "[" + index + "]";
                if (node.get(index).isNull()) {
                    throw new IllegalArgumentException(item + " is null: expected a value");
                }
                refuseNullItems(node.get(index), item);
            }
        } else {
            node.properties()
                    .forEach(member ->
                            refuseNullItems(member.getValue(), place + "." + UserText.shown(member.getKey())));
        }
    }

    private static String place(JsonMappingException problem) {
        var place = new StringBuilder();
        for (var step : problem.getPath()) {
            if (step.getFieldName() == null) {
                place.append('[').append(step.getIndex()).append(']');
            } else {
                place.append(place.isEmpty() ? "" : ".").append(UserText.shown(step.getFieldName()));
            }
        }
        return place.isEmpty() ? "the pod" : place.toString();
    }

    /** Empty when there is no short word for it. */
    private static String expected(JsonMappingException problem) {
        var type = problem instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
        if (type == null) {
            return "";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return ": expected a list";
        }
        if (type == String.class) {
            return ": expected text";
        }
        if (type == Boolean.class || type == boolean.class) {
            return ": expected true or false";
        }
        if (Number.class.isAssignableFrom(type) || type.isPrimitive()) {
            return ": expected a number";
        }
        return Map.class.isAssignableFrom(type) || KubernetesResource.class.isAssignableFrom(type)
                ? ": expected an object"
                : "";
    }
}
