package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock of ours that differs from AWS's, or is set back. No failed launch is hidden, and no request gets the failures of an earlier one. */
class AwsClocksTest {

    private AwsStage stage;
    private ShiftedClock ours;
    private AwsProvider provider;

    @BeforeEach
    void open() {
        stage = new AwsStage();
        ours = new ShiftedClock(stage.clock);
        provider = new AwsProvider(ours, region -> new AwsCalls(region, stage.settings()));
    }

    @AfterEach
    void close() {
        provider.close();
        stage.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {-240, -3, 0, 3, 240})
    void onlyWhatFailsAfterAnOrderIsOfTheOrder(long ahead) throws Exception {
        ours.ahead = Duration.ofSeconds(ahead);
        provider.read(stage.pool());
        stage.group.log("Launching a new EC2 instance.", "Failed", "InsufficientInstanceCapacity");
        stage.clock.move(Duration.ofSeconds(1));
        stage.group.stock(0);
        provider.grow(stage.pool(), 0, 1);
        stage.clock.move(Duration.ofSeconds(1));
        assertThat(failures()).as("nothing was tried yet").isEmpty();
        var asked = ours.instant();
        stage.clock.move(Duration.ofSeconds(1));
        stage.group.launch();
        stage.clock.move(Duration.ofSeconds(4));
        assertThat(failures())
                .singleElement()
                .satisfies(
                        failure -> assertThat(failure.at()).as("by our clock").isBetween(asked, ours.instant()));
    }

    @Test
    void aFailureKeepsItsTime() throws Exception {
        ours.ahead = Duration.ofMinutes(-4);
        provider.read(stage.pool());
        stage.group.stock(0);
        provider.grow(stage.pool(), 0, 1);
        stage.group.launch();
        var first = failures();
        stage.clock.move(Duration.ofSeconds(30));
        assertThat(failures()).hasSize(1).isEqualTo(first);
    }

    @Test
    void aSizeThatSomebodyElseChangedHasItsFailuresThoughOurClockIsAhead() throws Exception {
        ours.ahead = Duration.ofMinutes(4);
        provider.read(stage.pool());
        stage.group.stock(0);
        stage.clock.move(Duration.ofSeconds(5));
        stage.group.resize(2);
        stage.group.launch();
        assertThat(failures()).hasSize(1);
    }

    @Test
    void aClockThatIsSetBackHidesNoFailure() throws Exception {
        ours.ahead = Duration.ofHours(1);
        provider.read(stage.pool());
        stage.group.stock(0);
        provider.grow(stage.pool(), 0, 1);
        stage.clock.move(Duration.ofMillis(100));
        assertThat(failures()).isEmpty();
        ours.ahead = Duration.ZERO;
        stage.clock.move(Duration.ofMinutes(1));
        stage.group.launch();
        assertThat(failures()).hasSize(1);
    }

    @Test
    void aClockThatIsSetBackKeepsAnOrderToGoForAMinuteAllTheSame() throws Exception {
        stage.group.resize(2);
        stage.settle();
        var doomed = provider.read(stage.pool()).machines().subList(0, 1);
        stage.strike(AwsFault.error(500, "InternalFailure", "later").on("Terminate"));
        assertThatThrownBy(() -> provider.terminate(stage.pool(), doomed)).isInstanceOf(ProviderException.class);
        stage.clearFaults();
        ours.ahead = Duration.ofHours(-1);
        provider.terminate(stage.pool(), doomed);
        assertThat(stage.target()).as("AWS may have the first order").isEqualTo(2);
        stage.clock.move(Departures.UNSEEN.plusSeconds(1));
        provider.terminate(stage.pool(), doomed);
        assertThat(stage.target()).isEqualTo(1);
    }

    /** The parameter is the number of seconds by which AWS's clock is ahead. */
    @ParameterizedTest
    @ValueSource(longs = {-200, -3, -1, 3, 200})
    void fallbackIsAsQuickWhateverTheClocksSay(long seconds) {
        var clock = new MovedClock();
        var pace = new AwsPace(
                Duration.ofMillis(900), Duration.ofMinutes(5), Duration.ofSeconds(20), Duration.ofSeconds(10));
        try (var aws = AwsEmulator.start(Clock.offset(clock, Duration.ofSeconds(seconds)), pace);
                var clouds = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)))) {
            var spot = aws.group("spot").stock(0);
            var onDemand = aws.group("ondemand").onDemand();
            var world = new ScalerFixture(clock, () -> Map.of("awsAutoScalingGroup", clouds), aws::machines)
                    .pool("spot", Objects.spot(1).max(20), group("spot"), "spot")
                    .pool("ondemand", Objects.onDemand(1).max(20), group("ondemand"), "ondemand")
                    .tier("light-gpu", "spot", "ondemand");
            world.seconds(7);
            world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
            world.seconds(10);
            assertThat(onDemand.desired()).isEqualTo(1);
            assertThat(spot.everLaunched()).isZero();
        }
    }

    private List<Failure> failures() throws ProviderException {
        return provider.read(stage.pool()).failures();
    }

    private static ProviderSpec group(String name) {
        return new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsEmulator.REGION, name, true), null);
    }

    /** A clock that is ahead of another by a settable time. */
    private static final class ShiftedClock extends Clock {

        private final Clock base;
        private Duration ahead = Duration.ZERO;

        ShiftedClock(Clock base) {
            this.base = base;
        }

        @Override
        public Instant instant() {
            return base.instant().plus(ahead);
        }

        @Override
        public ZoneId getZone() {
            return base.getZone();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("nobody asks for dates");
        }
    }
}
