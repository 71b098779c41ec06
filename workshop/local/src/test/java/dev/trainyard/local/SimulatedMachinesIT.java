package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@WithControlPlane
@Tag("slow")
class SimulatedMachinesIT {
    private static final String GPU = "nvidia.com/gpu";
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private KubernetesClient client;
    private TestWorkloads workloads;

    @BeforeEach
    void prepare(KubernetesClient client, Namespace namespace) {
        this.client = client;
        this.workloads = new TestWorkloads(client, namespace);
    }

    @Test
    void completesAJob() {
        workloads.createNode("job-node");
        Job job = workloads.createJob("train", 3);

        Job done = workloads.await(
                job,
                j -> Objects.equals(j.getStatus().getSucceeded(), 3)
                        && j.getStatus().getCompletionTime() != null);

        assertThat(done.getStatus().getFailed()).isNull();
    }

    @Test
    void runsABarePodUntilItIsDeleted() {
        workloads.createNode("bare-pod-node");
        Pod pod = workloads.createPod("server", "default-scheduler");
        workloads.await(pod, p -> "Running".equals(p.getStatus().getPhase()));

        client.resource(pod).delete();

        workloads.await(pod, Objects::isNull);
    }

    /** Deletes several pods. If kwok chose between two stages at random, some pods would stay: the Job controller would wait for them. */
    @Test
    void reportsThatAJobsPodHasFailedBeforeItIsRemoved() {
        workloads.createNode("failing-node");
        var endless = Map.of(SimulatedMachines.DURATION_ANNOTATION, "1h");
        var job = workloads.createJob("endless", 8, endless, "Failed");
        workloads.await(job, j -> Objects.equals(j.getStatus().getReady(), 8));
        var pods = workloads.podsOf(job);

        pods.forEach(pod -> client.resource(pod).delete());

        pods.forEach(pod -> workloads.await(pod, Objects::isNull));
    }

    @Test
    void completesAPodThatSaysHowLongItRuns() {
        workloads.createNode("annotated-pod-node");
        Pod pod = workloads.createPod(
                "short", "default-scheduler", Map.of(SimulatedMachines.DURATION_ANNOTATION, "100ms"), Map.of());

        workloads.await(pod, p -> "Succeeded".equals(p.getStatus().getPhase()));
    }

    @Test
    void keepsTheResourcesThatANodeIsGiven() {
        Node node = workloads.createNode("gpu-node");
        workloads.await(node, TestWorkloads::isReady);
        Pod pod = workloads.createPod("gpu", "default-scheduler", Map.of(), Map.of(GPU, new Quantity("2")));
        workloads.await(pod, SimulatedMachinesIT::isUnschedulable);

        client.nodes().withName("gpu-node").subresource("status").patch(MERGE, """
                        {"status": {"allocatable": {"nvidia.com/gpu": "2"}, "capacity": {"nvidia.com/gpu": "2"}}}
                        """);

        workloads.await(pod, p -> "Running".equals(p.getStatus().getPhase()));
        Node after = client.nodes().withName("gpu-node").get();
        assertThat(after.getStatus().getAllocatable())
                .containsEntry(GPU, new Quantity("2"))
                .containsEntry("cpu", new Quantity("4"))
                .containsEntry("memory", new Quantity("16Gi"));
        assertThat(TestWorkloads.isReady(after)).isTrue();
    }

    @Test
    void doesNotBootANodeThatIsNotToBeReady() {
        Node node =
                workloads.createNode("slow-node", Map.of(SimulatedMachines.NOT_READY_ANNOTATION, "driver installs"));
        workloads.await(workloads.createNode("quick-node"), TestWorkloads::isReady);
        assertThat(TestWorkloads.isReady(client.resource(node).get())).isFalse();

        client.nodes()
                .withName("slow-node")
                .patch(
                        MERGE,
                        "{\"metadata\": {\"annotations\": {\"" + SimulatedMachines.NOT_READY_ANNOTATION
                                + "\": null}}}");

        workloads.await(node, TestWorkloads::isReady);
    }

    private static boolean isUnschedulable(Pod pod) {
        return pod.getStatus().getConditions().stream().anyMatch(c -> "Unschedulable".equals(c.getReason()));
    }
}
