package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.webhook.patch.Draft;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;

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
            Pod typed = PODS.readValue(pod.tree());
            if (typed.getMetadata() == null) {
                typed.setMetadata(new ObjectMeta()); // pod templates may do without
            }
            return PodReader.shapeOf(typed);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
