package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.emulator.aws.SoldType;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.ScalerFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pool whose instance type is missing in Trainyard's table, next to a pool with a known type: real rounds, real provider, emulated AWS. */
class UnlistedTypeTest {

    private static final String NEW = "p9.48xlarge";

    private final MovedClock clock = new MovedClock();
    private final AwsEmulator aws = AwsEmulator.start(
            clock,
            new AwsPace(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5)));
    private final AwsProvider provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
    private final ScalerFixture world =
            new ScalerFixture(clock, () -> Map.of("awsAutoScalingGroup", provider), aws::machines);

    @BeforeEach
    void open() {
        for (var pool : Map.of("new", NEW, "old", "p3.2xlarge").entrySet()) {
            aws.group(pool.getKey()).bounds(0, 4).protectNew(true);
            world.imported(pool.getKey(), spec(pool.getKey(), pool.getValue()), pool.getKey());
            world.tier(pool.getKey(), pool.getKey());
        }
    }

    @AfterEach
    void close() {
        provider.close();
        aws.close();
    }

    @Test
    void itsPodsRunOnWhatAwsTellsOfIt() {
        aws.sell(new SoldType(NEW, 192, 2048 << 10, List.of(new SoldType.Gpu("NVIDIA", "B900", 8, 192 << 10)), 64, 50));
        world.waiting(2, "train", "new", "nvidia.com/gpu", "8", "cpu", "150");
        world.seconds(40);

        assertThat(world.placed()).isEqualTo(2);
        assertThat(aws.group("new").desired()).isEqualTo(2);
        assertThat(aws.calls()).containsEntry("DescribeInstanceTypes", 1);
        assertThat(valid("new").status()).isEqualTo("True");
    }

    @Test
    void withoutTheRightThatPoolSaysSoAndTheOtherServes() {
        aws.strike(AwsFault.error(
                        403,
                        "UnauthorizedOperation",
                        "User: arn:aws:iam::1:user/u is not authorized to perform: ec2:DescribeInstanceTypes")
                .on("DescribeInstanceTypes"));
        world.waiting(1, "new", "new", "nvidia.com/gpu", "8");
        world.waiting(1, "old", "old", "nvidia.com/gpu", "1");
        world.seconds(40);

        assertThat(valid("new")).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo("False");
            assertThat(condition.message())
                    .startsWith("spec.promise.instanceType: 'p9.48xlarge' is not a known machine size")
                    .contains("state spec.promise.allocatable")
                    .contains("AWS did not return this size: auth: ")
                    .contains("ec2:DescribeInstanceTypes");
        });
        assertThat(world.placed()).isEqualTo(1);
        assertThat(aws.group("new").desired()).isZero();
        assertThat(aws.calls()).containsEntry("DescribeInstanceTypes", 1);
    }

    private ConditionStatus valid(String pool) {
        return world.cluster.pools.get(pool).getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("Valid"))
                .findFirst()
                .orElseThrow();
    }

    private static TrainingPoolSpec spec(String name, String type) {
        return new TrainingPoolSpec(
                new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsStage.REGION, name, true), null),
                CapacityType.ON_DEMAND,
                0,
                4,
                null,
                new PromiseSpec(Map.of("type", name), null, null, type, null),
                null,
                null,
                null);
    }
}
