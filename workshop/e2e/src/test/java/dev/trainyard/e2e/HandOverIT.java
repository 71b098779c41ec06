package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.process.SupervisedProcess.Launch;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.ServerJvm;
import dev.trainyard.workshop.cluster.TestCluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Two scalers; one is active. If it ends or dies, the other continues, and repeats no request for machines. */
@WithTestCluster
@Tag("disruptive")
@ResourceLock(WithTestCluster.WHOLE)
class HandOverIT {

    private static final String POOL = "handed-over";
    private static final String SECOND = "second";
    private static final int PODS = 10;

    @Test
    void theOtherScalerCarriesOnWhenTheOneThatActsEndsOrDies(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool(POOL, "spot", "", "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"1\"", "")
                .tier(POOL, POOL)) {
            var second = start(testCluster);
            try {
                TrainingGround.awaitTrue(
                        "the first acts", () -> holder(testCluster).equals("yard"));
                ground.kubectl("create", "-f", ground.job("before", 1, PODS, "trainyard.dev/tier: " + POOL));
                TrainingGround.awaitTrue("machines are asked for", () -> story.ordered(POOL) > 0);

                testCluster.stop(InstalledComponent.SCALER);
                TrainingGround.awaitTrue(
                        "the second acts", () -> holder(testCluster).equals(SECOND));
                TrainingGround.awaitTrue(
                        "all pods ran", () -> ground.placedPods().size() == PODS);
                assertThat(story.ordered(POOL)).isLessThanOrEqualTo(PODS);
                ground.awaitPoolEmpty(POOL);

                testCluster.start(InstalledComponent.SCALER);
                long before = story.ordered(POOL);
                ground.kubectl("create", "-f", ground.job("after", 1, PODS, "trainyard.dev/tier: " + POOL));
                TrainingGround.awaitTrue("machines are asked for", () -> story.ordered(POOL) > before);
                second.kill();
                TrainingGround.awaitTrue(
                        "the first acts again", () -> holder(testCluster).equals("yard"));
                TrainingGround.awaitTrue(
                        "all pods ran", () -> ground.placedPods().size() == 2 * PODS);
                assertThat(story.ordered(POOL) - before).isLessThanOrEqualTo(PODS);
                ground.awaitPoolEmpty(POOL);
            } finally {
                second.kill();
                if (!testCluster.isRunning(InstalledComponent.SCALER)) {
                    testCluster.start(InstalledComponent.SCALER);
                }
            }
        }
    }

    private static SupervisedProcess start(TestCluster testCluster) {
        var controlPlane = testCluster.controlPlane();
        var kubeconfig = controlPlane.kubeconfigFor(
                "system:serviceaccount:%s:trainyard-scaler".formatted(Names.NAMESPACE),
                List.of("system:serviceaccounts", "system:serviceaccounts:" + Names.NAMESPACE));
        var command = new ArrayList<>(ServerJvm.command(InstalledComponent.SCALER));
        command.addAll(List.of(
                "dev.trainyard.cli.Main",
                "scaler",
                "--kubeconfig=" + kubeconfig,
                "--tls-dir=" + controlPlane.dir().resolve("second-scaler-tls"),
                "--listen=127.0.0.1:0",
                "--scan-interval=2s",
                "--batch-window=400ms",
                "--identity=" + SECOND));
        var log = controlPlane.logs().resolve("second-scaler.log");
        var process = SupervisedProcess.start(new Launch("second-scaler", command, log));
        controlPlane.adopt(process);
        return process;
    }

    private static String holder(TestCluster testCluster) {
        var lease = testCluster
                .client()
                .leases()
                .inNamespace(Names.NAMESPACE)
                .withName("trainyard-scaler")
                .get();
        return lease == null ? "" : String.valueOf(lease.getSpec().getHolderIdentity());
    }
}
