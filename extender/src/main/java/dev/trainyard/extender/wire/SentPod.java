package dev.trainyard.extender.wire;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.trainyard.extender.pod.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;

/**
 * The pod of a request. The UID and the resource version of the pod are read at once. The rest of the pod is read only on demand, because
 * the scheduler asks several times about a pod that the extender already knows.
 */
public final class SentPod {

    private final ObjectReader reader;
    private final byte[] json;
    private final int start;
    private final int end;
    private final String uid;
    private final String resourceVersion;

    /** @param json holds the pod from {@code start} to {@code end} */
    SentPod(ObjectReader reader, byte[] json, int start, int end, String uid, String resourceVersion) {
        this.reader = reader;
        this.json = json;
        this.start = start;
        this.end = end;
        this.uid = uid;
        this.resourceVersion = resourceVersion;
    }

    /** Returns the UID; empty if the scheduler did not send it. */
    public String uid() {
        return uid;
    }

    /** Returns the resource version; empty if the scheduler did not send it. */
    public String resourceVersion() {
        return resourceVersion;
    }

    /** Whether the facts were read from the version of the pod that was sent. */
    public boolean isSameVersionAs(PodFacts facts) {
        return !uid.isEmpty()
                && !resourceVersion.isEmpty()
                && uid.equals(facts.uid())
                && resourceVersion.equals(facts.resourceVersion());
    }

    /**
     * Parses the pod.
     *
     * @throws MalformedRequestException if the JSON is not a valid pod with metadata and a spec
     */
    public PodFacts read() throws MalformedRequestException {
        try {
            Pod pod = reader.readValue(json, start, end - start);
            if (pod == null || pod.getMetadata() == null || pod.getSpec() == null) {
                throw new MalformedRequestException("Pod: has no metadata or no spec");
            }
            return PodFacts.of(pod);
        } catch (JsonMappingException e) {
            throw new MalformedRequestException("Pod" + WireFormat.path(e) + ": " + e.getOriginalMessage());
        } catch (IOException | RuntimeException e) { // a problem in the pod is not our failure
            throw new MalformedRequestException("Pod: " + e.getMessage());
        }
    }
}
