package dev.trainyard.webhook.preview;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.decision.Samples;
import dev.trainyard.webhook.namespace.FileNamespaces;
import java.util.List;
import org.junit.jupiter.api.Test;

class PreviewTest {

    @Test
    void completesThePodTemplatesOfAnyKindOfObject() {
        var object = Samples.yaml("""
                kind: PyTorchJob
                spec:
                  pytorchReplicaSpecs:
                    Master:
                      template: {spec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1}}}]}}
                    Worker:
                      template: {spec: {containers: [{name: w, resources: {limits: {nvidia.com/gpu: 2}}}]}}
                    Other:
                      template: {spec: {containers: [{name: o}]}}
                """);

        var preview = preview(object);

        assertThat(preview.remarks())
                .containsExactly(
                        "/spec/pytorchReplicaSpecs/Master/template: tier light-gpu",
                        "/spec/pytorchReplicaSpecs/Worker/template: tier heavy-gpu",
                        "/spec/pytorchReplicaSpecs/Other/template: left alone: asks for no GPU and names no tier");
        assertThat(preview.object()
                        .at("/spec/pytorchReplicaSpecs/Worker/template/spec/schedulerName")
                        .asText())
                .isEqualTo("trainyard-scheduler");
        assertThat(preview.object().at("/spec/pytorchReplicaSpecs/Other"))
                .isEqualTo(object.at("/spec/pytorchReplicaSpecs/Other"));
        assertThat(object.toString()).doesNotContain("trainyard-scheduler");
        assertThat(preview.refused()).isFalse();
    }

    @Test
    void showsAPodAndThatItWouldBeRefused() {
        assertThat(preview(Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}"))
                        .object()
                        .at("/spec/schedulerName")
                        .asText())
                .isEqualTo("trainyard-scheduler");

        var refused = preview(Samples.pod("resources: {limits: {nvidia.com/gpu: 0.5}}"));
        assertThat(refused.refused()).isTrue();
        assertThat(refused.remarks()).singleElement().asString().startsWith("refused: container 'tensorflow'");
    }

    private static Preview preview(ObjectNode object) {
        var namespaces = FileNamespaces.of(new ResourceFiles(List.of()));
        return Preview.of(object, Samples.DECIDER, Samples.catalogue(), namespaces);
    }
}
