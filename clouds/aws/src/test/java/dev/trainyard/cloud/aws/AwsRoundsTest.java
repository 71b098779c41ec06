package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole rounds while AWS has a fault. In the end every pod has run, no machine was lost or launched in excess, and the pool's status has shown
 * AWS's message.
 */
class AwsRoundsTest {

    private static final String SPOT = "light-spot";
    private static final String ON_DEMAND = "light-ondemand";
    private static final int PODS = 10;

    private final MovedClock clock = new MovedClock();
    private final AwsEmulator aws =
            AwsEmulator.start(clock, new AwsPace(seconds(3), seconds(60), seconds(20), seconds(10)));
    private final AwsProvider provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
    private final EmulatedGroup spot = aws.group(SPOT);
    private final EmulatedGroup onDemand = aws.group(ON_DEMAND).onDemand();
    private final ScalerFixture world = new ScalerFixture(
                    clock, () -> Map.of("awsAutoScalingGroup", provider), aws::machines)
            .pool(SPOT, Objects.spot(1).max(20).idleAfter("20s"), group(SPOT), SPOT)
            .pool(ON_DEMAND, Objects.onDemand(1).max(20).idleAfter("20s"), group(ON_DEMAND), ON_DEMAND)
            .tier("light-gpu", SPOT, ON_DEMAND);

    @AfterEach
    void close() {
        provider.close();
        aws.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("429 without a time", AwsFault.error(429, "Throttling", "Rate exceeded"), "throttled"),
                Arguments.of("429 with one", AwsFault.error(429, "Throttling", "Rate exceeded", "15"), "throttled"),
                Arguments.of("500", AwsFault.error(500, "InternalFailure", "later"), "transient: autoscaling:Describe"),
                Arguments.of("reset", AwsFault.reset(), "transient: autoscaling:Describe"),
                Arguments.of("truncated", AwsFault.truncated(), "transient: autoscaling:Describe"),
                Arguments.of("expired", AwsFault.error(403, "ExpiredToken", "expired"), "auth: autoscaling:Describe"),
                Arguments.of(
                        "forbidden",
                        AwsFault.error(403, "AccessDenied", "no").on("Set"),
                        "auth: autoscaling:SetDesiredCapacity: AccessDenied: no"),
                Arguments.of("lost answers", AwsFault.lostAnswer(), "pool light-spot grows from 0 to 10 machines"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void aBurstInTheMiddleOfAFaultGetsItsMachinesAndNoneTwice(String name, AwsFault fault, String words) {
        world.seconds(5);
        train();
        aws.strike(fault);
        world.seconds(45);
        assertThat(told()).as("words in status and events").anyMatch(text -> text.contains(words));
        aws.strike(AwsFault.NONE);
        world.seconds(150);

        assertThat(world.placed()).isEqualTo(PODS);
        assertThat(spot.everLaunched() + onDemand.everLaunched()).isEqualTo(PODS);
        endsWithNothing();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void machinesAtWorkOutliveAFault(String name, AwsFault fault, String words) {
        train();
        world.seconds(60);
        assertThat(world.placed()).isEqualTo(PODS);
        aws.strike(fault);
        world.seconds(90);
        aws.strike(AwsFault.NONE);
        world.seconds(30);

        assertThat(spot.instances()).hasSize(PODS);
        assertThat(spot.everLaunched()).isEqualTo(PODS);
        assertThat(status(SPOT).backOff()).isNull();
        endsWithNothing();
    }

    @Test
    void whatSpotHasNotComesFromOnDemandAndStatusHasAwssWords() {
        spot.stock(4);
        train();
        world.seconds(15);
        assertThat(status(SPOT).backOff().reason()).contains("InsufficientInstanceCapacity");
        assertThat(world.events)
                .anyMatch(event -> event.startsWith("light-spot BackOff:")
                        && event.contains("There is no Spot capacity available that matches your request"));
        world.seconds(60);

        assertThat(world.placed()).isEqualTo(PODS);
        assertThat(spot.everLaunched()).isEqualTo(4);
        assertThat(onDemand.everLaunched()).isEqualTo(6);
        endsWithNothing();
    }

    /** One of two groups lacks the tag that the policy requires. */
    @Test
    void aGroupThatThePolicyDoesNotAllowIsSaidToLackTheTagAndOthersAreAsked() {
        onDemand.tag("trainyard-cluster", "mine");
        aws.strike(IamPolicy.shipped());
        world.seconds(5);
        train();
        world.seconds(60);
        assertThat(told())
                .anyMatch(text -> text.contains("auth: autoscaling:SetDesiredCapacity: AccessDenied: User: arn:aws:")
                        && text.contains("for groups whose tag trainyard-cluster equals the tag of the role"));
        assertThat(status(SPOT).backOff().kind()).isEqualTo("auth");

        assertThat(world.placed()).isEqualTo(PODS);
        assertThat(spot.desired()).isZero();
        assertThat(onDemand.everLaunched()).isEqualTo(PODS);
        endsWithNothing();
    }

    @Test
    void anInstanceThatVanishesIsReplacedOnce() {
        train();
        world.seconds(60);
        spot.instances().remove(3);
        world.seconds(120);

        assertThat(world.placed()).isEqualTo(PODS);
        assertThat(spot.everLaunched()).isEqualTo(PODS + 1);
        assertThat(spot.instances()).hasSize(PODS);
        endsWithNothing();
    }

    @Test
    void machinesThatSomebodyElseOrderedAreUsedAndGoWhenIdle() {
        world.seconds(5);
        spot.resize(4);
        world.seconds(10);
        train();
        world.seconds(60);

        assertThat(world.placed()).isEqualTo(PODS);
        assertThat(spot.everLaunched()).as("four of them were there").isEqualTo(PODS);
        endsWithNothing();
    }

    private void train() {
        world.waiting(PODS, "train", "light-gpu", "nvidia.com/gpu", "1");
    }

    private void endsWithNothing() {
        world.finishAllJobs();
        world.seconds(90);
        assertThat(spot.instances()).isEmpty();
        assertThat(onDemand.instances()).isEmpty();
        assertThat(spot.desired() + onDemand.desired()).isZero();
        assertThat(world.cluster.nodes).isEmpty();
    }

    /** Returns the texts of a pool's status and of its events. */
    private List<String> told() {
        var told = new ArrayList<>(world.eventsOf(SPOT));
        told.add(String.valueOf(status(SPOT).message()));
        Optional.ofNullable(status(SPOT).backOff())
                .ifPresent(backOff -> told.add(backOff.kind() + ": " + backOff.reason()));
        return told;
    }

    private TrainingPoolStatus status(String pool) {
        return world.cluster.pools.get(pool).getStatus();
    }

    private static ProviderSpec group(String name) {
        return new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsEmulator.REGION, name, true), null);
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
