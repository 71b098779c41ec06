package dev.trainyard.core.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.TrainingPoolSpec.SickSpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SickMachinesTest {

    @Test
    void replacesTenthOfThePoolAtOnceByDefault() {
        assertThat(SickMachines.of(null)).isEqualTo(new SickMachines(Duration.ZERO, 10, true));
    }

    @ParameterizedTest
    @CsvSource({"10%,0,1", "10%,1,1", "10%,10,1", "10%,11,2", "50%,3,2", "100%,5000,5000", "2,1,2", "2,100,2"})
    void limitsNumberOfMachines(String atMost, int machines, int limit) {
        assertThat(SickMachines.of(new SickSpec("24h", atMost)).limit(machines)).isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource({
        "24h,0,spec.scaleDown.sick.atMost: '0' is neither a number of machines such as 2 nor a percentage such as 10%",
        "24h,101%,spec.scaleDown.sick.atMost: '101%' is neither a number of machines such as 2 nor a percentage such as 10%",
        "a day,1,'spec.scaleDown.sick.keepFor: ''a day'' is not a duration such as 90s, 15m or 1h30m'",
    })
    void refusesInvalidValues(String keepFor, String atMost, String message) {
        assertThatThrownBy(() -> SickMachines.of(new SickSpec(keepFor, atMost))).hasMessage(message);
    }
}
