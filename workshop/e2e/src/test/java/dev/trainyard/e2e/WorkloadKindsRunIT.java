package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Training of every kind is admitted and gets its machines. */
@WithTestCluster
@ResourceLock(value = WithTestCluster.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
class WorkloadKindsRunIT {

    @Test
    void oneOfEachRunsOnMachinesOfItsTier(TestCluster testCluster, TrainingGround ground) {
        try (var operator = TfJobOperator.start(testCluster.client())) {
            RegisteredWebhook.awaitCalledFor(testCluster.client(), ground.namespace());
            ground.kubectl("create", "-f", ground.file(WorkloadKind.oneOfEach("privileged")));

            TrainingGround.awaitTrue(
                    "a pod of every workload runs", () -> ground.placedPods().size() == WorkloadKind.podsOfAll());
            assertThat(operator.refusals()).isEmpty();
            var poolOfNode = testCluster.client().nodes().list().getItems().stream()
                    .collect(Collectors.toMap(
                            node -> node.getMetadata().getName(),
                            node -> node.getMetadata().getLabels().getOrDefault(Names.POOL, "none")));
            assertThat(ground.placedPods())
                    .hasSize(WorkloadKind.podsOfAll())
                    .allSatisfy(pod -> assertThat(poolOfNode.get(pod.getSpec().getNodeName()))
                            .isIn(isParameterServer(pod) ? List.of("cpu") : List.of("light-spot", "light-ondemand")));
        }
    }

    private static boolean isParameterServer(Pod pod) {
        return pod.getMetadata().getName().equals(WorkloadKind.PARAMETER_SERVER);
    }
}
