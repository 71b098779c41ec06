package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main scenario: a plain job as users write it, and its visible results. */
@WithTestCluster
@ResourceLock(WithTestCluster.EXAMPLE_POOLS)
class PlainJobIT {

    @ParameterizedTest
    @ValueSource(strings = {"manifests/examples/tftrain.yaml", "manifests/examples/tftrain-legacy.yaml"})
    void runsOnASpotMachineThatGoesAwayAfterwards(String manifest, TestCluster testCluster, TrainingGround ground) {
        ground.awaitPoolEmpty("light-spot");
        ground.awaitPoolEmpty("light-ondemand");
        ground.kubectl("create", "-f", manifest);

        TrainingGround.awaitTrue("the pod runs", () -> ground.placedPods().size() == 1);
        var pod = ground.pod();
        assertThat(ground.nodesOf("light-spot"))
                .extracting(node -> node.getMetadata().getName())
                .containsExactly(pod.getSpec().getNodeName());
        assertThatItIsCompleted(pod);
        assertThat(ground.pool("light-ondemand").getStatus().target()).isZero();

        var description = ground.kubectl("describe", "pod", pod.getMetadata().getName());
        assertThat(description)
                .as("the wait is explained where users look")
                .contains("FailedScheduling")
                .contains("light-spot")
                .contains("Scheduled");
        TrainingGround.awaitTrue(
                "the pool's status follows",
                () -> Integer.valueOf(1)
                        .equals(ground.pool("light-spot").getStatus().ready()));
        assertThat(ground.kubectl("get", "trainingpools", "light-spot"))
                .containsPattern(
                        "NAME\\s+TYPE\\s+MIN\\s+MAX\\s+TARGET\\s+READY\\s+UPCOMING\\s+BACK-OFF\\s+MESSAGE\\s+AGE")
                .containsPattern("light-spot\\s+spot\\s+0\\s+100\\s+1\\s+1\\s+0");
        ground.awaitPoolEmpty("light-spot");
    }

    private static void assertThatItIsCompleted(Pod pod) {
        var container = pod.getSpec().getContainers().get(0);
        assertThat(pod.getSpec().getSchedulerName()).isEqualTo("trainyard-scheduler");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry("trainyard.dev/tier", "light-gpu");
        assertThat(container.getResources().getLimits()).containsOnlyKeys("nvidia.com/gpu");
        assertThat(container.getResources().getRequests()).containsOnlyKeys("nvidia.com/gpu");
        assertThat(container.getEnv()).anySatisfy(variable -> {
            assertThat(variable.getName()).isEqualTo("LD_LIBRARY_PATH");
            assertThat(variable.getValue()).isEqualTo("/usr/lib/nvidia:/usr/lib/x86_64-linux-gnu");
        });
        assertThat(container.getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .contains("/usr/local/nvidia/bin", "/usr/lib/nvidia", "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
        assertThat(pod.getSpec().getVolumes())
                .filteredOn(volume -> volume.getHostPath() != null)
                .extracting(volume -> volume.getHostPath().getPath())
                .containsExactlyInAnyOrder(
                        "/usr/lib/nvidia-384/bin", "/usr/lib/nvidia-384", "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    }
}
