package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The number of requests to AWS. The figures of docs/aws.md come from here. */
class AwsCallCountTest {

    private AwsStage stage;
    private final List<Pool> pools = new ArrayList<>();

    @BeforeEach
    void open() {
        stage = new AwsStage();
        for (int i = 0; i < 10; i++) {
            stage.aws.group("group-" + i).protectNew(true).bounds(0, 100);
            pools.add(AwsStage.pool("pool-" + i, "group-" + i, null));
        }
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void anHourOfTenPoolsAtRest() throws Exception {
        stage.aws.groups().forEach(group -> group.resize(3));
        stage.settle();
        pass(Duration.ofHours(1), Duration.ofSeconds(10));
        expect("an hour of 10 pools at rest", Map.of("DescribeAutoScalingGroups", 370, "DescribeInstances", 10));
    }

    @Test
    void aBurstOfAHundredMachinesAndBack() throws Exception {
        var pool = pools.get(0);
        var group = stage.aws.group("group-0").stock(0);
        readAll();
        stage.provider().grow(pool, 0, 100);
        for (int minute = 0; minute < 5; minute++) {
            group.stock(group.stock() + 20);
            stage.settle();
            pass(Duration.ofSeconds(50), stage.provider().attention());
        }
        assertThat(stage.provider().read(pool).present()).isEqualTo(100);
        stage.provider().terminate(pool, stage.provider().read(pool).machines());
        stage.settle();
        readAll();
        assertThat(group.desired()).isZero();
        expect(
                "100 machines launched within five minutes, then all removed",
                Map.of(
                        "DescribeAutoScalingGroups", 68,
                        "DescribeInstances", 5,
                        "DescribeScalingActivities", 45,
                        "SetDesiredCapacity", 1,
                        "TerminateInstanceInAutoScalingGroup", 100));
    }

    @Test
    void roundsThatFollowEachOtherFasterCostNoMore() throws Exception {
        for (int i = 0; i < 50; i++) {
            stage.clock.move(Duration.ofMillis(200));
            readAll();
        }
        assertThat(stage.aws.calls().get("DescribeAutoScalingGroups")).isLessThanOrEqualTo(14);
    }

    @Test
    void aStormOfRefusalsIsSharedByAllPools() {
        stage.strike(AwsFault.error(400, "Throttling", "Rate exceeded"));
        for (var pool : pools) {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(
                            () -> stage.provider().read(pool)))
                    .isNotNull();
        }
        assertThat(stage.aws.totalCalls()).as("one call, which is not repeated").isEqualTo(1);
    }

    private void pass(Duration time, Duration interval) throws Exception {
        for (var passed = Duration.ZERO; passed.compareTo(time) <= 0; passed = passed.plus(interval)) {
            stage.clock.move(interval);
            readAll();
        }
    }

    private void readAll() throws Exception {
        for (var pool : pools) {
            stage.provider().read(pool);
        }
    }

    /** Asserts the maximum number of calls, and that docs/aws.md has the same figure. */
    private void expect(String what, Map<String, Integer> most) throws IOException {
        assertThat(stage.aws.calls().keySet()).isSubsetOf(most.keySet());
        stage.aws
                .calls()
                .forEach((action, calls) -> assertThat(calls).as(action).isLessThanOrEqualTo(most.get(action)));
        int total = stage.aws.totalCalls();
        var guide = Files.readString(Path.of(System.getProperty("trainyard.root"), "docs", "aws.md"));
        assertThat(guide.lines().toList())
                .as(stage.aws.calls().toString())
                .contains("| %s | %d |".formatted(what, total));
    }
}
