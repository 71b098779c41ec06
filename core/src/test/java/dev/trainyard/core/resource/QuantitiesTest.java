package dev.trainyard.core.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {

    private static final Duration LONG_ENOUGH =
            Duration.ofSeconds(20); // a text of MANY digits took ten seconds or more

    private static final String MANY = "9".repeat(600_000);

    @ParameterizedTest
    @CsvSource({
        "2, 2",
        "+2, 2",
        "-2, -2",
        "0.5, 0.5",
        ".5, 0.5",
        "5., 5",
        "007, 7",
        "500m, 0.5",
        "3u, 0.000003",
        "3n, 0.000000003",
        "1k, 1000",
        "1M, 1000000",
        "1G, 1000000000",
        "1T, 1000000000000",
        "1P, 1000000000000000",
        "1E, 1000000000000000000",
        "1Ki, 1024",
        "1.5Mi, 1572864",
        "16Gi, 17179869184",
        "1Ti, 1099511627776",
        "1Pi, 1125899906842624",
        "1Ei, 1152921504606846976",
        "1e3, 1000",
        "1E3, 1000",
        "12e-1, 1.2",
        "1e+3, 1000",
        "1e0003, 1000"
    })
    void readsWhatKubernetesReads(String text, BigDecimal amount) {
        assertThat(Quantities.parse("limits cpu", text)).isEqualByComparingTo(amount);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "lots",
                "1 ",
                " 1",
                "1ki",
                "1KI",
                "1K",
                "1mi",
                "1gb",
                "1e",
                "1e+",
                "1ee3",
                "1e3m",
                "1e1.5",
                "--1",
                "1-",
                ".",
                "-",
                "1.2.3",
                "0x1",
                "1_000",
                "\u0661",
                "Infinity",
                "NaN",
                "1\n"
            })
    void refusesWhatKubernetesRefuses(String text) {
        assertThatThrownBy(() -> Quantities.parse("limits cpu", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("limits cpu is '" + text + "'; expected a Kubernetes quantity");
    }

    @Test
    void countsAllGreatExponentsAsOneSoThatNobodyWritesThemOut() {
        assertTimeoutPreemptively(LONG_ENOUGH, () -> {
            assertThat(Quantities.parse("limits cpu", "1e999999999")
                            .toBigInteger()
                            .bitLength())
                    .isBetween(64, 1000);
            assertThat(Quantities.parse("limits cpu", "-1e" + "9".repeat(50))
                            .toBigInteger()
                            .bitLength())
                    .isBetween(64, 1000);
            assertThat(Quantities.parse("limits cpu", "1e-" + "9".repeat(50))
                            .add(BigDecimal.ONE)
                            .precision())
                    .isLessThan(1000);
        });
    }

    @Test
    void readsUpTo64CharactersAndRepeats20OfALongerText() {
        assertThat(Quantities.parse("limits cpu", "9".repeat(64)).precision()).isEqualTo(64);
        assertThatThrownBy(() -> Quantities.parse("limits cpu", "9".repeat(65)))
                .hasMessage("limits cpu is '99999999999999999999...' (65 characters); expected a Kubernetes quantity"
                        + " such as 500m, 2 or 16Gi, of at most 64 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Gi", "e5", ".5"})
    void refusesHundredsOfThousandsOfDigitsWithoutReadingThem(String end) {
        assertTimeoutPreemptively(
                LONG_ENOUGH,
                () -> assertThatThrownBy(() -> Resources.parse("limits", Map.of("cpu", new Quantity(MANY + end))))
                        .hasMessageStartingWith("limits cpu is '99999999999999999999...' (6000"));
    }

    @Test
    void comparesListsByTheirTexts() {
        assertTimeoutPreemptively(LONG_ENOUGH, () -> {
            assertThat(Quantities.areSame(Map.of("cpu", new Quantity(MANY)), Map.of("cpu", new Quantity(MANY))))
                    .isTrue();
            assertThat(Quantities.areSame(Map.of("cpu", new Quantity(MANY)), Map.of("cpu", new Quantity(MANY + "1"))))
                    .isFalse();
        });
        assertThat(Quantities.areSame(Map.of("cpu", new Quantity("1")), Map.of()))
                .isFalse();
        assertThat(Quantities.areSame(Map.of(), Map.of("cpu", new Quantity("1"))))
                .isFalse();
        assertThat(Quantities.areSame(Map.of("cpu", new Quantity("1")), Map.of("memory", new Quantity("1"))))
                .isFalse();
        assertThat(Quantities.areSame(null, null)).isTrue();
        assertThat(Quantities.areSame(null, Map.of())).isFalse();
    }
}
