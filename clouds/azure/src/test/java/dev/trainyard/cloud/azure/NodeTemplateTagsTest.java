package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeTemplateTagsTest {

    private static final String PREFIX = "k8s.io_cluster-autoscaler_node-template_";

    @Test
    void labelsAndTaintsEscapeSlashAndUnderscore() {
        var tags = NodeTemplateTags.of(Map.of(
                PREFIX + "label_example.com_gpu~2class", "v100",
                PREFIX + "taint_kubernetes.azure.com_scalesetpriority", "spot:NoSchedule",
                PREFIX + "taint_dedicated", ":NoExecute"));
        assertThat(tags.labels()).containsExactly(Map.entry("example.com/gpu_class", "v100"));
        assertThat(tags.taints())
                .containsExactly("dedicated=:NoExecute", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule");
        assertThat(tags.problems()).isEmpty();
    }

    @Test
    void inResourcesBothStandForSlash() {
        var tags = NodeTemplateTags.of(Map.of(
                PREFIX + "resources_nvidia.com_gpu",
                "4",
                PREFIX + "resources_amd.com~2gpu",
                "1",
                PREFIX + "resources_memory",
                "112Gi"));
        assertThat(tags.resources())
                .containsOnly(
                        Map.entry("nvidia.com/gpu", "4"), Map.entry("amd.com/gpu", "1"), Map.entry("memory", "112Gi"));
    }

    @Test
    void otherTagsSayNothingAndWrongOnesAreNamed() {
        var tags = NodeTemplateTags.of(Map.of("poolName", "gpu", "min", "0", PREFIX + "taint_gpu", "yes"));
        assertThat(tags.labels()).isEmpty();
        assertThat(tags.problems())
                .singleElement()
                .asString()
                .contains(PREFIX + "taint_gpu", "'yes'", "spot:NoSchedule");
    }
}
