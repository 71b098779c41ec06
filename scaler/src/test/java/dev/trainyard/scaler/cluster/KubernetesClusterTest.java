package dev.trainyard.scaler.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class KubernetesClusterTest {

    @Test
    void holdsAPatchToTheNodeThatWasSeen() {
        var patch = new ObjectMapper().createObjectNode();
        patch.putObject("metadata").putObject("annotations").put("a", "b");
        KubernetesCluster.expect(patch, "17");
        assertThat(patch).hasToString("""
                {"metadata":{"annotations":{"a":"b"},"resourceVersion":"17"}}""");
    }
}
