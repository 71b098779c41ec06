package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The removal of a hundred machines, with a request for each. The API's budget allows 20 requests at once and 2 a second. */
class AwsManyMachinesTest {

    private static final String POOL = "light-ondemand";
    private static final int MACHINES = 100;
    private static final int WINDOW = 10;
    private static final int MOST_IN_WINDOW = 20 + 2 * WINDOW;

    private final MovedClock clock = new MovedClock();
    private final AwsEmulator aws = AwsEmulator.start(
            clock,
            new AwsPace(Duration.ofSeconds(1), Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofSeconds(10)));
    private final AwsProvider provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
    private final EmulatedGroup group =
            aws.group(POOL).onDemand().bounds(0, MACHINES).protectNew(true);
    private boolean nodesJoin = true;
    private final ScalerFixture world = new ScalerFixture(
                    clock, () -> Map.of("awsAutoScalingGroup", provider), this::machines)
            .pool(
                    POOL,
                    Objects.onDemand(1).max(MACHINES).idleAfter("20s").provisionTimeout("2m"),
                    new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsEmulator.REGION, POOL, null), null),
                    POOL)
            .tier("light-gpu", POOL);

    @AfterEach
    void close() {
        provider.close();
        aws.close();
    }

    @Test
    void aHundredIdleMachinesGoWithinTheBudget() throws IOException {
        world.waiting(MACHINES, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(30);
        assertThat(world.placed()).isEqualTo(MACHINES);
        world.finishAllJobs();
        world.seconds(20);

        expect("100 idle machines", 150);
        world.seconds(60);
        assertThat(world.cluster.nodes).isEmpty();
    }

    /** All machines are given up at once: the limit of removals at a time does not apply to them. */
    @Test
    void aHundredMachinesWhoseNodesNeverJoinGoWithinTheBudget() throws IOException {
        nodesJoin = false;
        world.waiting(MACHINES, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(5);
        assertThat(group.desired()).isEqualTo(MACHINES);
        world.cluster.pods.clear();
        world.seconds(110);

        expect("100 machines whose nodes never join", 70);
    }

    /** Waits until the group is empty, and asserts that docs/aws.md has the same time. */
    private void expect(String what, int seconds) throws IOException {
        var ended = new ArrayList<Integer>(List.of(ended()));
        while (group.desired() > 0 && ended.size() <= seconds) {
            world.second();
            ended.add(ended());
        }
        assertThat(group.desired()).as("after %d s", seconds).isZero();
        assertThat(aws.calls()).containsEntry("TerminateInstanceInAutoScalingGroup", MACHINES);
        for (int i = WINDOW; i < ended.size(); i++) {
            assertThat(ended.get(i) - ended.get(i - WINDOW))
                    .as("orders in the %d s before second %d", WINDOW, i)
                    .isLessThanOrEqualTo(MOST_IN_WINDOW);
        }
        long from = ended.stream().filter(orders -> orders == 0).count();
        var guide = Files.readString(Path.of(System.getProperty("trainyard.root"), "docs", "aws.md"));
        assertThat(guide.lines().toList()).contains("| %s | %d s |".formatted(what, ended.size() - from));
    }

    private int ended() {
        return aws.calls().getOrDefault("TerminateInstanceInAutoScalingGroup", 0);
    }

    private List<EmulatedMachine> machines() {
        return nodesJoin ? aws.machines() : List.of();
    }
}
