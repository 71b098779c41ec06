package dev.trainyard.scaler.offline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class ObjectFilterTest {

    @Test
    void ofAnAdmittedPodWhatItRunsIsDropped() throws JsonProcessingException {
        assertThat(needed("""
                {"kind": "Pod", "metadata": {"name": "p", "uid": "1", "labels": {"a": "b"}, "managedFields": [{}],
                  "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "c": "d"}},
                 "spec": {"nodeName": "n", "containers": [{"name": "x", "env": [], "args": ["y"], "resources": {},
                   "volumeMounts": [{"name": "v"}]}]},
                 "status": {"phase": "Running", "containerStatuses": [{"image": "i", "imageID": "j", "state": {}}]}}
                """)).isEqualTo(json("""
                {"kind": "Pod", "metadata": {"name": "p", "uid": "1", "labels": {"a": "b"}, "annotations": {"c": "d"}},
                 "spec": {"nodeName": "n", "containers": [{"name": "x", "resources": {}, "volumeMounts": [{"name": "v"}]}]},
                 "status": {"phase": "Running", "containerStatuses": [{"state": {}}]}}
                """));
    }

    @Test
    void aPodThatIsYetToBeAdmittedIsKeptWhole() throws JsonProcessingException {
        var pod =
                "{\"kind\": \"Pod\", \"spec\": {\"containers\": [{\"name\": \"x\", \"env\": [], \"args\": [\"y\"]}]}}";
        assertThat(needed(pod)).isEqualTo(json(pod));
    }

    @Test
    void ofOtherKindsTheNameIsKept() throws JsonProcessingException {
        assertThat(needed("{\"kind\": \"Secret\", \"metadata\": {\"name\": \"s\"}, \"data\": {\"key\": \"c2VjcmV0\"}}"))
                .isEqualTo(json("{\"kind\": \"Secret\", \"metadata\": {\"name\": \"s\"}}"));
        assertThat(needed("{\"kind\": \"Node\", \"status\": {\"images\": [{}], \"capacity\": {}}}"))
                .isEqualTo(json("{\"kind\": \"Node\", \"status\": {\"capacity\": {}}}"));
        assertThat(needed("{\"items\": 1}")).isEqualTo(json("{\"items\": 1}"));
    }

    private static JsonNode needed(String object) throws JsonProcessingException {
        return Offline.needed().apply(json(object));
    }

    private static JsonNode json(String object) throws JsonProcessingException {
        return new ObjectMapper().readTree(object);
    }
}
