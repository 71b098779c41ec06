package dev.trainyard.webhook.gang;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the gate by whole decisions, because the gate depends on the placement and the scheduler. */
class GangGateTest {

    private static final String STATED =
            "metadata: {annotations: {trainyard.dev/gang: g, trainyard.dev/gang-size: '2'}}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                STATED,
                "metadata: {labels: {trainyard.dev/gang: g, trainyard.dev/gang-size: '2'}}",
                "metadata: {annotations: {trainyard.dev/gang: g, trainyard.dev/gang-size: many}}",
                "metadata: {labels: {jobset.sigs.k8s.io/jobset-name: train}}",
                "metadata: {ownerReferences: [{apiVersion: ray.io/v1, kind: RayCluster, name: r, uid: u, controller: true}]}",
                STATED + "\nspec: {schedulingGates: null}",
                STATED + "\nspec: {schedulingGates: []}",
                STATED + "\nspec: {schedulerName: default-scheduler}",
                STATED + "\nspec: {schedulerName: trainyard-scheduler}",
            })
    void holdsThePodsOfGangs(String pod) {
        assertThat(gates("gangs: whole", pod)).containsExactly(Names.GANG_GATE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {}",
                "metadata: {annotations: {trainyard.dev/gang: none}, labels: {jobset.sigs.k8s.io/jobset-name: train}}",
                STATED + "\nspec: {schedulerName: volcano}",
                STATED + "\nspec: {schedulingGroup: {podGroupName: g}}",
                STATED + "\nspec: {nodeName: n}",
                STATED + "\nspec: {nodeSelector: {nvidia.com/gpu.product: other}}",
            })
    void holdsNoPodThatIsAloneUnplacedOrStartedByOthers(String pod) {
        assertThat(gates("gangs: whole", pod)).isEmpty();
    }

    @Test
    void addsNoGateToTheGatesOfOthers() {
        assertThat(gates("gangs: whole", STATED + "\nspec: {schedulingGates: [{name: kueue.x-k8s.io/admission}]}"))
                .containsExactly("kueue.x-k8s.io/admission");
    }

    /** Another webhook may have added its gate after ours, and the API server then calls ours again. */
    @Test
    void keepsItsGateBesideThoseOfOthers() {
        var gated =
                STATED + "\nspec: {schedulingGates: [{name: trainyard.dev/gang}, {name: kueue.x-k8s.io/admission}]}";

        assertThat(gates("gangs: whole", gated)).containsExactly(Names.GANG_GATE, "kueue.x-k8s.io/admission");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gangs: parts", "resumable: true"})
    void holdsNoPodOfATierWhoseGangsStartInParts(String tier) {
        assertThat(gates(tier, STATED)).isEmpty();
    }

    @Test
    void saysSoInTheSummary() {
        var pod = pod(STATED);

        var held = Samples.apply(((Completed) decide("gangs: whole", pod)).patch(), pod);

        assertThat(held.at("/metadata/annotations/trainyard.dev~1injected").asText())
                .contains("held until there is room for its whole gang");
        assertThat(decide("gangs: whole", (ObjectNode) held).word()).isEqualTo("already-complete");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {labels: [a]}",
                "metadata: {ownerReferences: {a: b}}",
                "metadata: {annotations: {trainyard.dev/gang: g, other: {a: b}}}",
                STATED + "\nspec: {schedulingGates: {name: a}}",
            })
    void reportsMalformedFields(String pod) {
        assertThat(decide("gangs: whole", pod(pod))).isInstanceOf(Malformed.class);
    }

    private static List<String> gates(String tier, String pod) {
        var received = pod(pod);
        var completed = (Completed) decide(tier, received);
        return Samples.apply(completed.patch(), received)
                .at("/spec/schedulingGates")
                .findValuesAsText("name");
    }

    private static ObjectNode pod(String text) {
        var pod = Samples.yaml(text);
        pod.withObject("/metadata/annotations").put(Names.TIER, "whole");
        pod.withArray("/spec/containers")
                .addObject()
                .put("name", "main")
                .withObject("/resources/limits")
                .put("nvidia.com/gpu", "1");
        return pod;
    }

    private static Decision decide(String tier, ObjectNode pod) {
        var catalogue = Samples.catalogue("whole", "{pools: [a100], %s}".formatted(tier));
        return Samples.DECIDER.decide(Samples.request(pod), catalogue);
    }
}
