package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchEventReaderTest {

    private final KubernetesSerialization ours = KubernetesClients.serialization();
    private final KubernetesSerialization library = new KubernetesSerialization();

    @BeforeEach
    void registerOurKinds() {
        ours.registerKubernetesResource(TrainingPool.class);
        library.registerKubernetesResource(TrainingPool.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"""
                {"type": "MODIFIED", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "labels": {"a": "b"}},
                 "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "addedLater": {"a": [1]}}}
                """, """
                {"type": "MODIFIED", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}}
                """, """
                {"object": {"metadata": {"name": "p"}, "spec": {"nodeName": "n"}, "kind": "Pod", "apiVersion": "v1"}, "type": "ADDED"}
                """, """
                {"type": "BOOKMARK", "object": {"kind": "Node", "apiVersion": "v1"}, "addedLater": {"object": {}}}
                """, """
                {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "metadata": {}, "code": 410, "reason": "Expired"}}
                """, """
                {"type": "ADDED", "object": {"kind": "Odd", "apiVersion": "example.com/v1", "metadata": {"name": "o"}, "spec": {"a": 1}}}
                """, """
                {"type": "ADDED", "object": {"kind": "TrainingPool", "apiVersion": "trainyard.dev/v1alpha1", "metadata": {"name": "p"}}}
                """, """
                {"type": "ADDED", "object": {"kind": {"a": 1}, "apiVersion": "v1", "metadata": {}}}
                """, """
                {"type": "ADDED", "object": {}}
                """, """
                {"type": "ADDED", "object": null}
                """})
    void readsWhatTheLibraryReads(String event) {
        var read = ours.unmarshal(event, WatchEvent.class);
        var expected = library.unmarshal(event, WatchEvent.class);

        assertThat(read.getType()).isEqualTo(expected.getType());
        assertThat(read.getObject()).isEqualTo(expected.getObject());
    }

    @Test
    void leavesManagedFieldsOut() {
        var event = ours.unmarshal("""
                {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1",
                 "metadata": {"managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}], "name": "p"}}}
                """, WatchEvent.class);

        var metadata = ((Pod) event.getObject()).getMetadata();
        assertThat(metadata.getName()).isEqualTo("p");
        assertThat(metadata.getManagedFields()).isEmpty();
    }
}
