package dev.trainyard.webhook.preview;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.webhook.decision.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreviewTest {

    @Test
    void completesThePodTemplatesOfAnyKindOfObject() {
        var object = Samples.yaml("""
                kind: PyTorchJob
                metadata: {name: p}
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
                        "PyTorchJob/p /spec/pytorchReplicaSpecs/Master/template: tier light-gpu",
                        "PyTorchJob/p /spec/pytorchReplicaSpecs/Worker/template: tier heavy-gpu",
                        "PyTorchJob/p /spec/pytorchReplicaSpecs/Other/template: left alone: asks for no GPU and names no tier");
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
        assertThat(refused.remarks())
                .singleElement()
                .asString()
                .startsWith("Pod/train: refused: container 'tensorflow'");
    }

    @Test
    void takesOnlyWholeTemplatesForPods() {
        for (var object : List.of(
                "{kind: ConfigMap, metadata: {name: n}, data: {job: 'template: {spec: {containers: [{name: a}]}}'}}",
                "{kind: Prometheus, metadata: {name: n}, spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}",
                "{kind: Workflow, metadata: {name: n}, spec: {templates: [{name: a, container: {image: x}}]}}",
                "{kind: PersistentVolumeClaim, metadata: {name: n}, spec: {template: {spec: {}}}}")) {
            var preview = preview(Samples.yaml(object));

            assertThat(preview.object()).isEqualTo(Samples.yaml(object));
            assertThat(preview.remarks())
                    .singleElement()
                    .asString()
                    .contains("/n: left alone: the object has no pod template");
            assertThat(preview.refused()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "v1, Namespace, false",
        "v1, ConfigMap, false",
        "v1, PersistentVolumeClaim, false",
        "rbac.authorization.k8s.io/v1, Role, false",
        "trainyard.dev/v1alpha1, TrainingTier, false",
        "sparkoperator.k8s.io/v1beta2, SparkApplication, true",
        "argoproj.io/v1alpha1, Workflow, true",
        "batch/v1, Job, true",
        "v1, ReplicationController, true",
    })
    void isSilentAboutKindsOfWhichNoPodsAreMade(String version, String kind, boolean remark) {
        var object = Samples.yaml("{apiVersion: %s, kind: %s, metadata: {name: n}}".formatted(version, kind));

        assertThat(preview(object).remarks()).hasSize(remark ? 1 : 0);
    }

    @Test
    void namesANamespaceThatIsNotTheDefaultOne() {
        var pod = Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
        pod.withObject("/metadata").put("namespace", "research");

        assertThat(preview(pod).remarks()).containsExactly("Pod/train in namespace research: tier light-gpu");
    }

    @Test
    void countsAPodThatTheApiServerRejectsAsRefused() {
        var preview = preview(Samples.yaml("{apiVersion: v1, kind: Pod, metadata: {name: p}}"));

        assertThat(preview.refused()).isTrue();
        assertThat(preview.remarks()).singleElement().asString().startsWith("Pod/p: not completed: ");
    }

    @Test
    void leavesTheTemplateOfADaemonSetAloneAsItsPodsAre() {
        var object = Samples.yaml(
                "{kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}");

        var preview = preview(object);

        assertThat(preview.remarks())
                .containsExactly("DaemonSet/d: left alone: the DaemonSet controller has already chosen the node");
        assertThat(preview.object()).isEqualTo(object);
    }

    @ParameterizedTest
    @CsvSource({"Job,'',/spec", "CronJob,jobTemplate: {spec: {,/spec/jobTemplate/spec"})
    void showsThatAJobIgnoresReclaims(String kind, String start, String spec) {
        var object = Samples.yaml("""
                apiVersion: batch/v1
                kind: %s
                metadata: {name: j}
                spec: {%s template: {spec: {
                  restartPolicy: Never, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}%s}
                """.formatted(kind, start, start.isEmpty() ? "" : "}}"));

        var preview = preview(object);

        assertThat(preview.remarks())
                .containsExactly(
                        kind + "/j: tier light-gpu",
                        kind + "/j: reclaims and evictions do not count as failures of the Job");
        assertThat(preview.object().at(spec + "/podReplacementPolicy").asText()).isEqualTo("Failed");
        assertThat(preview.object().at(spec + "/template/spec/schedulerName").asText())
                .isEqualTo("trainyard-scheduler");
    }

    @Test
    void saysWhyAJobCountsReclaims() {
        var object = Samples.yaml("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: q}}
                spec: {template: {spec: {
                  restartPolicy: Never, containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}}
                """);

        assertThat(preview(object).remarks())
                .containsExactly(
                        "Job/j: tier light-gpu",
                        "Job/j: reclaims and evictions count as failures of the Job: another controller manages it: the mark kueue.x-k8s.io/queue-name of Kueue");
    }

    @Test
    void saysWhenThereIsNothingLeftToDo() {
        var once = preview(Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}"));
        var twice = preview(once.object());

        assertThat(twice.object()).isEqualTo(once.object());
        assertThat(twice.remarks()).containsExactly("Pod/train: tier light-gpu: complete already");
    }

    @Test
    void showsTheGateOfAGangThatStartsWhole() {
        var whole = Samples.catalogue("whole", "{pools: [a100], default: {gpus: {min: 1}}, gangs: whole}");
        var pod = Samples.pod("resources: {limits: {nvidia.com/gpu: 1}}");
        pod.withObject("/metadata/annotations").put(Names.GANG, "g").put(Names.GANG_SIZE, "8");

        var preview = preview(pod, whole);

        assertThat(preview.object().at("/spec/schedulingGates/0/name").asText()).isEqualTo(Names.GANG_GATE);
        assertThat(preview.remarks())
                .containsExactly(
                        "Pod/train: tier whole",
                        "Pod/train: gang default/g of 8 pods (annotation trainyard.dev/gang); held until there is room for the whole gang");
    }

    private static Preview preview(ObjectNode object) {
        return preview(object, Samples.catalogue());
    }

    private static Preview preview(ObjectNode object, Catalogue catalogue) {
        var namespaces = FileNamespaces.of(new ResourceFiles(List.of()));
        return Preview.of(object, "default", Samples.DECIDER, catalogue, namespaces);
    }
}
