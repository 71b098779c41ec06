package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** A conversion of JSON to a typed pod. A typed pod is never written back, because the types do not know all fields. */
final class TypedPods {

    private static final ObjectReader PODS = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build()
            .readerFor(Pod.class);

    private TypedPods() {}

    /**
     * Returns the typed pod. Its metadata is never null.
     *
     * @throws IllegalArgumentException if a field of the pod is invalid; the message names the field
     */
    static Pod read(ObjectNode pod) {
        try {
            Pod typed = PODS.readValue(pod);
            if (typed.getMetadata() == null) {
                typed.setMetadata(new ObjectMeta()); // pod templates may lack metadata
            }
            return typed;
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException("%s has an invalid value%s".formatted(place(e), expected(e)), e);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
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

    /** Returns the expected type for a message; empty if there is no short word for it. */
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
