package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.emulator.aws.EmulatedInstance;
import dev.trainyard.scaler.ImportExamples;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.ScalerFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The two groups of an article's cluster, made by kops and then imported: real rounds, the real provider, an emulated AWS. */
class ImportedKopsGroupsTest {

    private static final int MINUTE = 60;
    private static final Map<String, String> GPU = Map.of("gpu", "true");
    private static final String DOMAIN = ".apnortheast.k8s.example.com";

    private final MovedClock clock = new MovedClock();
    private final AwsEmulator aws = AwsEmulator.start(
            clock,
            new AwsPace(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ofSeconds(40), Duration.ofSeconds(30)));
    private final EmulatedGroup gpuNodes = group("gpu-nodes");
    private final EmulatedGroup cheapNodes = group("cheap-nodes");
    private final AwsProvider provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
    private final ScalerFixture world =
            new ScalerFixture(clock, () -> Map.of("awsAutoScalingGroup", provider), aws::machines);

    @BeforeEach
    void imported() {
        ImportExamples.apply(world, "kops");
    }

    @AfterEach
    void close() {
        provider.close();
        aws.close();
    }

    /** Returns a group as kops makes it. */
    private EmulatedGroup group(String name) {
        return aws.group(name + DOMAIN)
                .onDemand()
                .bounds(1, 10)
                .zones("ap-northeast-1a")
                .protectNew(true)
                .tag("KubernetesCluster", "apnortheast.k8s.example.com")
                .tag("Name", name + DOMAIN)
                .tag("k8s.io/role/node", "1");
    }

    @Test
    void seed004_importedGroupsHaveAtLeastOneMachineAndAreSound() {
        world.seconds(2 * MINUTE);

        assertThat(gpuNodes.desired()).isEqualTo(1);
        assertThat(cheapNodes.desired()).isEqualTo(1);
        assertThat(world.cluster.nodes).hasSize(2);
        for (var pool : world.cluster.pools.values()) {
            assertThat(pool.getStatus().conditions())
                    .as(pool.getMetadata().getName())
                    .filteredOn(condition ->
                            List.of("Valid", "Ready", "CloudResourceSound").contains(condition.type()))
                    .hasSize(3)
                    .allSatisfy(condition -> assertThat(condition.status())
                            .as(condition.message())
                            .isEqualTo("True"));
            assertThat(pool.getStatus().ready()).isEqualTo(1);
        }
    }

    /** The group has never had a node, so only kops' file describes its nodes. */
    @Test
    void seed004_anImportedGroupWithoutMachinesGrowsForTheLabelThatItPromises() {
        ImportExamples.waiting(world, 3, "train", "gpu-g2-2xlarge", GPU, "nvidia.com/gpu", "1");
        world.second();

        assertThat(gpuNodes.desired()).isEqualTo(3);
        world.seconds(2 * MINUTE);
        assertThat(world.placed()).isEqualTo(3);
        assertThat(gpuNodes.desired()).isEqualTo(3);
    }

    @Test
    void seed004_twoHundredReplicasThatSelectTheLabelGetTheCheapImportedMachines() {
        world.seconds(2 * MINUTE);
        ImportExamples.waiting(world, 200, "nginx", null, GPU);
        world.seconds(2 * MINUTE);

        assertThat(world.placed()).isEqualTo(200);
        assertThat(cheapNodes.desired() + gpuNodes.desired())
                .as("110 pods on each machine, and one of each kind is there")
                .isEqualTo(2);
    }

    @Test
    @Tag("slow")
    void seed004_aBurstOfTwoHundredNeverAsksAnImportedGroupForMoreThanItsMaximumAndEndsAtItsMinimum() {
        ImportExamples.waiting(world, 200, "train", "gpu-g2-2xlarge", GPU, "nvidia.com/gpu", "1");
        for (int i = 0; i < 2 * MINUTE; i++) {
            world.second();
            assertThat(gpuNodes.desired()).isLessThanOrEqualTo(10);
        }
        assertThat(world.placed()).isEqualTo(10);
        assertThat(cheapNodes.desired()).as("of no use to them").isEqualTo(1);
        assertThat(world.eventsOf("train-99")).anyMatch(event -> event.contains("(maximum 10)"));

        world.cluster.pods.values().removeIf(pod -> pod.getSpec().getNodeName() == null);
        world.finishAllJobs();
        world.seconds(15 * MINUTE);
        assertThat(gpuNodes.desired()).isEqualTo(1);
        assertThat(world.cluster.nodes).hasSize(2);
    }

    /** kops cannot set protection. */
    @Test
    void seed004_machinesOfAnImportedGroupThatDoesNotProtectThemAreProtected() {
        gpuNodes.protectNew(false);
        ImportExamples.waiting(world, 3, "train", "gpu-g2-2xlarge", GPU, "nvidia.com/gpu", "1");
        world.seconds(5 * MINUTE);

        assertThat(gpuNodes.instances()).hasSize(3).allMatch(EmulatedInstance::isProtected);
        assertThat(sound("gpu-nodes").status()).isEqualTo("True");
    }

    private ConditionStatus sound(String pool) {
        return world.cluster.pools.get(pool).getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("CloudResourceSound"))
                .findFirst()
                .orElseThrow();
    }
}
