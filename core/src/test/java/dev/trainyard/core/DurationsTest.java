package dev.trainyard.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({"90s,90000", "15m,900000", "1h30m,5400000", "500ms,500", "0s,0", "1m1s,61000", "1s1m,61000"})
    void readsWhatUsersWrite(String text, long millis) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "15", "-1m", "1d", "m", "1.5h", "99999999999999999999h", "999999999h"})
    void refusesTheRestAndShowsIt(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void readsTextsOf64Characters() {
        assertThat(Durations.parse("1s".repeat(32))).isEqualTo(Duration.ofSeconds(32));
    }

    @ParameterizedTest
    @CsvSource({"1s,33", "1s,1000", "0s,100000", "x,100000"})
    void refusesLongTextsWithAShortMessage(String part, int times) {
        var text = part.repeat(times);
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'%s...' (%d characters)".formatted(text.substring(0, 20), text.length()))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(150));
    }

    @ParameterizedTest
    @ValueSource(strings = {"90ms", "15m", "1h30m", "45s", "0s", "26h4s"})
    void writesWhatItReads(String text) {
        assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }

    @Test
    void thePatternOfTheSchemaAgrees() {
        assertThat("").doesNotMatch(Durations.PATTERN);
        assertThat("1h30m").matches(Durations.PATTERN);
        assertThat("1d").doesNotMatch(Durations.PATTERN);
    }

    @Test
    void whatMustLastIsNotZero() {
        assertThat(Durations.parsePositive("1ms")).isEqualTo(Duration.ofMillis(1));
        assertThatThrownBy(() -> Durations.parsePositive("0s")).hasMessageContaining("'0s' is not greater than 0s");
    }

    @ParameterizedTest
    @CsvSource({"-1, 10", "0, 10", "1, 20", "3, 80", "4, 120", "1000000, 120"})
    void doublesAsOftenAsAskedButNotBeyondTheLimit(int times, int seconds) {
        assertThat(Durations.doubled(Duration.ofSeconds(10), times, Duration.ofMinutes(2)))
                .isEqualTo(Duration.ofSeconds(seconds));
    }
}
