package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Pools whose machine size is newer than Trainyard's table. */
class UnlistedSizeTest {

    private static final String NEW = "p9.48xlarge";

    private final MovedClock clock = new MovedClock();
    private final FakeCloud aws = new FakeCloud(clock, ScalerFixture.BOOT);
    private final ScalerFixture world = new ScalerFixture(clock, () -> Map.of("awsAutoScalingGroup", aws));

    @Test
    void theCloudIsAskedOnceAndThePoolGrows() {
        sold(NEW);
        pool(NEW);
        world.waiting(2, "train", "heavy", "nvidia.com/gpu", "8");

        world.seconds(40);

        assertThat(aws.calls).containsExactly("size p9.48xlarge", "grow heavy 0->2");
    }

    @Test
    void aQuietDayHasOneQuestionForASizeThatIsNotSold() {
        pool("p9.96xlarge");
        for (var passed = Duration.ZERO; passed.compareTo(Duration.ofDays(1)) < 0; passed = passed.plusMinutes(5)) {
            world.round();
            clock.move(Duration.ofMinutes(5));
        }
        assertThat(aws.calls).containsExactly("size p9.96xlarge");
    }

    /** The node in service shows its real size. */
    @Test
    void aNodeInServiceBeatsWhatTheCloudTold() {
        sold(NEW);
        pool(NEW);
        world.waiting(1, "large", "heavy", "nvidia.com/gpu", "8", "cpu", "191900m");
        world.seconds(3);
        assertThat(aws.target("heavy"))
                .as("more than what is told, less what nodes keep")
                .isZero();

        world.waiting(1, "small", "heavy", "nvidia.com/gpu", "8", "cpu", "1");
        world.seconds(3);
        assertThat(aws.target("heavy")).isEqualTo(1);
        var machine = aws.machines("heavy").keySet().iterator().next();
        var node =
                Objects.node(machine, world.cluster.view().catalogue().pools().get("heavy"));
        node.getMetadata().getLabels().put(Names.POOL, "heavy");
        node.getSpec().setProviderID("kwok://heavy/" + machine);
        node.getStatus().getAllocatable().put("cpu", new Quantity("191900m"));
        world.cluster.nodes.put(machine, node);
        world.cluster.place("small-1", machine);
        clock.move(ScalerFixture.BOOT);
        world.seconds(3);

        assertThat(aws.target("heavy"))
                .as("the next one is as the first one is")
                .isEqualTo(2);
    }

    /** The webhook and the extender read the size in the pool's status, since they call no cloud. */
    @Test
    void whatWasToldStandsInTheStatusAndOutlivesTheScaler() {
        sold(NEW);
        pool(NEW);
        world.seconds(3);

        assertThat(world.cluster.pools.get("heavy").getStatus().machine()).satisfies(machine -> {
            assertThat(machine.instanceType()).isEqualTo("p9.48xlarge");
            assertThat(machine.cpus()).isEqualTo(192);
            assertThat(machine.memoryMiB()).isEqualTo(2048 * 1024);
            assertThat(machine.gpus()).isEqualTo(8);
            assertThat(machine.gpuProduct()).isEqualTo("B900");
            assertThat(machine.gpuMemoryMiB()).isEqualTo(192 * 1024);
            assertThat(machine.pods()).isEqualTo(100);
        });
        assertThat(valid().status()).isEqualTo("True");

        world.restart();
        world.seconds(3);
        assertThat(aws.calls).containsExactly("size p9.48xlarge");
    }

    @Test
    void aSizeThatNobodyKnowsPutsThatPoolOutOfUseAndSaysSo() {
        pool("p9.96xlarge");
        world.seconds(3);

        assertThat(valid()).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo("False");
            assertThat(condition.message())
                    .startsWith("spec.promise.instanceType: 'p9.96xlarge' is not a known machine size")
                    .endsWith("; AWS offers no size of this name in the pool's region");
        });
        clock.move(Duration.ofDays(1));
        sold("p9.96xlarge");
        world.seconds(3);
        assertThat(valid().status()).isEqualTo("True");
    }

    @Test
    void anotherSizeIsAnotherQuestion() {
        sold(NEW);
        pool(NEW);
        world.seconds(3);
        pool("p9.96xlarge");
        world.seconds(3);

        assertThat(valid().status()).isEqualTo("False");
        assertThat(world.cluster.pools.get("heavy").getStatus().machine()).isNull();
        assertThat(aws.calls).containsExactly("size p9.48xlarge", "size p9.96xlarge");
    }

    @Test
    void aSizeOfTheTableIsNotAskedFor() {
        pool("p3.2xlarge");
        world.seconds(3);

        assertThat(valid().status()).isEqualTo("True");
        assertThat(aws.calls).isEmpty();
    }

    /** From now on, AWS offers and describes the size. */
    private void sold(String type) {
        var gpu = new GpuKind(Optional.of(GpuProduct.of("B900")), OptionalLong.of(192L << 30));
        aws.sizes.put(type, new MachineSize(Cloud.AWS, type, 192, 2048L << 30, 8, gpu, 100));
    }

    private ConditionStatus valid() {
        return world.cluster.pools.get("heavy").getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("Valid"))
                .findFirst()
                .orElseThrow();
    }

    private void pool(String instanceType) {
        var before = world.cluster.pools.get("heavy");
        var promise = new PromiseSpec(Map.of("type", "heavy"), null, null, instanceType, null);
        world.cluster.pool(
                "heavy",
                new TrainingPoolSpec(
                        new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", "heavy", null), null),
                        CapacityType.ON_DEMAND,
                        0,
                        4,
                        null,
                        promise,
                        null,
                        null,
                        null));
        world.cluster.tier("heavy", Objects.tier("heavy"));
        if (before != null) {
            world.cluster.pools.get("heavy").setStatus(before.getStatus());
        }
    }
}
