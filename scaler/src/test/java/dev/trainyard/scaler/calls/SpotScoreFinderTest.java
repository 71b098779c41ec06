package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Logged;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.dryrun.DryCloud;
import dev.trainyard.scaler.leadership.FencedCloud;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.LazyProvider;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls begin when the test starts them, in time that the test moves. */
class SpotScoreFinderTest {

    private static final String KIND = "awsAutoScalingGroup";
    private static final Pool IRELAND = spot("ireland", "eu-west-1");
    private static final Pool CORK = spot("cork", "eu-west-1");
    private static final Pool OHIO = spot("ohio", "us-east-2");

    private final ScriptedCloud cloud = new ScriptedCloud();
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private final List<String> metered = new ArrayList<>();
    private final CallMeter meter = new CallMeter() {
        @Override
        public void called(String provider, String operation, String result, Duration took) {
            metered.add("%s %s %s".formatted(provider, operation, result));
        }

        @Override
        public void waited(String provider, String operation, Duration wait) {
            metered.add("waited");
        }
    };
    private final AtomicInteger rounds = new AtomicInteger();
    private long nanos = 5;
    private final Clouds clouds = new Clouds(
            Map.of(KIND, cloud),
            meter,
            (api, call) -> calls.add(call),
            new Clouds.Timing(Duration.ZERO, Duration.ofSeconds(30)),
            Clock.systemUTC(),
            () -> nanos,
            time -> {},
            rounds::incrementAndGet);

    @Test
    void cloudIsAskedInTheBackgroundOnceAnHour() {
        cloud.scores.put("ireland", 7);

        assertThat(clouds.spotScore(IRELAND)).isEmpty();
        assertThat(clouds.spotScore(IRELAND)).isEmpty();
        assertThat(calls).as("not asked twice").hasSize(1);
        run();
        assertThat(clouds.spotScore(IRELAND)).contains(7);
        assertThat(metered).containsExactly(KIND + " spot-score ok");
        assertThat(rounds).as("no round is started for a score").hasValue(0);

        later(Duration.ofMinutes(59));
        clouds.spotScore(IRELAND);
        assertThat(calls).isEmpty();

        later(Duration.ofMinutes(1));
        cloud.scores.put("ireland", 3);
        assertThat(clouds.spotScore(IRELAND))
                .as("the last score until the answer")
                .contains(7);
        run();
        assertThat(clouds.spotScore(IRELAND)).contains(3);
    }

    @Test
    void nothingIsAskedOfPoolsThatNobodyAsksAbout() {
        cloud.scores.put("ireland", 7);
        clouds.spotScore(IRELAND);
        run();
        later(Duration.ofDays(3));
        assertThat(calls).isEmpty();
        assertThat(cloud.calls).containsExactly("score ireland");
    }

    @Test
    void onDemandPoolIsNotAskedAbout() {
        var pool = Pool.of(
                "on-demand",
                Objects.onDemand(1)
                        .spec(new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", "on-demand"), null)));
        assertThat(clouds.spotScore(pool)).isEmpty();
        assertThat(calls).isEmpty();
    }

    @Test
    void oldScoreCountsForThreeHoursWhileTheCloudFails() {
        cloud.scores.put("ireland", 7);
        clouds.spotScore(IRELAND);
        run();
        for (int hour = 1; hour <= 3; hour++) {
            later(Duration.ofHours(1));
            cloud.fails("ireland", broken(), broken(), broken());
            assertThat(clouds.spotScore(IRELAND)).contains(7);
            run();
            assertThat(clouds.spotScore(IRELAND)).contains(7);
            assertThat(calls).as("a failure is not repeated before an hour").isEmpty();
        }
        later(Duration.ofNanos(1));
        assertThat(clouds.spotScore(IRELAND)).isEmpty();
    }

    @Test
    void scoreThatTheCloudNoLongerPublishesDoesNotCount() {
        cloud.scores.put("ireland", 7);
        clouds.spotScore(IRELAND);
        run();
        later(Duration.ofHours(1));
        cloud.scores.clear();
        clouds.spotScore(IRELAND);
        run();
        assertThat(clouds.spotScore(IRELAND)).isEmpty();
    }

    @Test
    void scoreOfAnotherGroupDoesNotCount() {
        cloud.scores.put("ireland", 7);
        clouds.spotScore(IRELAND);
        run();
        assertThat(clouds.spotScore(spot("ireland", "us-east-2"))).isEmpty();
    }

    @Test
    void missingRightStopsAllRequestsToTheApiForADay() {
        cloud.fails("ireland", new ProviderException(FailureKind.AUTH, "no right", Duration.ofDays(1)));
        cloud.scores.putAll(Map.of("cork", 5, "ohio", 6));
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        clouds.spotScore(OHIO);
        run();
        assertThat(cloud.calls)
                .as("another region may grant the right")
                .containsExactlyInAnyOrder("score ireland", "score ohio");

        later(Duration.ofHours(24).minusSeconds(1));
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        assertThat(calls).isEmpty();

        later(Duration.ofSeconds(1));
        clouds.spotScore(CORK);
        run();
        assertThat(clouds.spotScore(CORK)).contains(5);
    }

    @Test
    void missingRightIsLoggedOnceUntilItIsGranted() {
        var refusal = new ProviderException(
                FailureKind.AUTH, "allow ec2:GetSpotPlacementScores, as the policy does", Duration.ofDays(1));
        try (var log = new Logged(SpotScoreFinder.class.getName())) {
            for (int day = 0; day < 3; day++) {
                cloud.fails("ireland", refusal);
                clouds.spotScore(IRELAND);
                run();
                later(Duration.ofDays(1));
            }
            assertThat(log.lines())
                    .containsExactly(
                            "the spot scores of awsAutoScalingGroup eu-west-1 are unknown: allow ec2:GetSpotPlacementScores, as the policy does; this is optional: the scaler works without scores, and asks again after 24h");

            clouds.spotScore(IRELAND);
            run();
            later(Duration.ofHours(1));
            cloud.fails("ireland", refusal);
            clouds.spotScore(IRELAND);
            run();
            assertThat(log.lines()).hasSize(2);
        }
    }

    @Test
    void limitOfConfigurationsStopsOnlyRequestsAboutThePool() {
        cloud.fails("ireland", new ProviderException(FailureKind.QUOTA, "too many", Duration.ofDays(1)));
        cloud.scores.put("cork", 5);
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        run();
        assertThat(cloud.calls).as("not retried at once").containsExactly("score ireland", "score cork");

        later(Duration.ofHours(23));
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        run();
        assertThat(cloud.calls).hasSize(3).endsWith("score cork");
    }

    @Test
    void oneApiIsAskedAboutOnePoolAtATime() {
        cloud.scores.putAll(Map.of("ireland", 7, "cork", 5));
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        assertThat(calls).as("a cloud that hangs holds one thread").hasSize(1);
        run();
        assertThat(clouds.spotScore(IRELAND)).contains(7);
        assertThat(clouds.spotScore(CORK)).contains(5);
    }

    @Test
    void errorInACallHoldsUpNoOtherPool() {
        cloud.dies = true;
        cloud.scores.put("cork", 5);
        clouds.spotScore(IRELAND);
        clouds.spotScore(CORK);
        assertThat(catchThrowable(calls.remove()::run)).isInstanceOf(AssertionError.class);
        cloud.dies = false;
        run();
        assertThat(clouds.spotScore(CORK)).contains(5);
    }

    @Test
    void throttledScoresDelayNoReads() {
        cloud.limits = new CallLimits(1, 1, 1, 1);
        var throttled = new ProviderException(FailureKind.THROTTLED, "slow down", Duration.ofMinutes(1));
        cloud.fails("ireland", throttled);
        clouds.spotScore(IRELAND);
        run();
        clouds.read(List.of(CORK));
        run();
        assertThat(metered).containsExactly(KIND + " spot-score throttled", KIND + " read ok");
    }

    @Test
    void wrappersPassScoresOn() throws ProviderException {
        cloud.scores.put("ireland", 7);
        for (CloudProvider wrapper : List.of(
                new LazyProvider(CallLimits.USUAL, () -> cloud),
                new FencedCloud(cloud, () -> false),
                new DryCloud(cloud))) {
            assertThat(wrapper.spotScore(IRELAND)).as(wrapper.toString()).contains(7);
        }
    }

    private void run() {
        while (!calls.isEmpty()) {
            calls.remove().run();
        }
    }

    private void later(Duration time) {
        nanos += time.toNanos();
    }

    private static ProviderException broken() {
        return new ProviderException(FailureKind.TRANSIENT, "no answer");
    }

    private static Pool spot(String name, String region) {
        return Pool.of(
                name, Objects.spot(1).spec(new ProviderSpec(null, null, new AwsAutoScalingGroup(region, name), null)));
    }
}
