package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.scaler.MovedClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThrottleTest {

    private final MovedClock clock = new MovedClock();
    private final Throttle throttle = new Throttle(clock);

    @Test
    void aShorterWaitDoesNotTakeBackALongerOne() {
        throttle.refused("k", Optional.of(Duration.ofMinutes(20)));
        assertThat(throttle.refused("k", Optional.empty())).isEqualTo(Duration.ofMinutes(20));
        clock.move(Duration.ofMinutes(19));
        assertThatThrownBy(() -> throttle.check("k")).isInstanceOf(ArmException.class);
        clock.move(Duration.ofMinutes(1));
        assertThatCode(() -> throttle.check("k")).doesNotThrowAnyException();
    }

    @Test
    void aWaitThatNoneCanHaveIsOfBeforeTheClockWasSetBack() {
        throttle.refused("k", Optional.of(Duration.ofMinutes(1)));
        clock.move(Duration.ofHours(-1));
        assertThatCode(() -> throttle.check("k")).doesNotThrowAnyException();
        throttle.refused("k", Optional.of(Duration.ofMinutes(20)));
        clock.move(Duration.ofHours(-1));
        assertThat(throttle.refused("k", Optional.empty())).isEqualTo(Throttle.UNSAID);
    }
}
