package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScreenTextTest {

    private static final List<ReportSection> SECTIONS = List.of(
            ReportSection.of("Cost"), section("pools", 3), section("pending pods", 100), section("machines", 1000));

    @Test
    void whatFitsIsWhole() {
        assertThat(ScreenText.of(List.of(ReportSection.of("Cost"), section("pools", 2)), 24, 80))
                .isEqualTo("Cost\n\nPOOLS\npools 1\npools 2\n");
    }

    @Test
    void whatASectionDoesNotNeedGoesToTheOthers() {
        var lines = ScreenText.of(SECTIONS, 30, 80).lines().toList();
        assertThat(lines).hasSize(29).contains("pools 3", "... 91 more pending pods", "... 992 more machines");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 10, 16, 17, 24, 200, 2000})
    void isNeverLongerThanTheScreen(int rows) {
        assertThat(ScreenText.of(SECTIONS, rows, 80).lines().count()).isLessThan(rows);
    }

    @Test
    void onAFewLinesItStillSaysHowManyThereAre() {
        assertThat(ScreenText.of(SECTIONS, 6, 80))
                .isEqualTo("Cost\nPOOLS\n... 3 pools\n... 100 pending pods\n... 1000 machines\n");
    }

    @Test
    void longLinesAreCut() {
        assertThat(ScreenText.of(List.of(ReportSection.of("0123456789"), ReportSection.of("0123456789a")), 24, 10))
                .isEqualTo("0123456789\n\n0123456...\n");
    }

    private static ReportSection section(String what, int lines) {
        return new ReportSection(
                what,
                what.toUpperCase(Locale.ROOT),
                IntStream.rangeClosed(1, lines).mapToObj(i -> what + " " + i).toList());
    }
}
