package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationTest {

    @ParameterizedTest
    @ValueSource(ints = {404, 410})
    void whatIsForgottenIsOver(int status) throws Exception {
        var outcome = Operation.parse(status, "{\"error\":{\"code\":\"ResourceNotFound\"}}");
        assertThat(outcome.over()).isTrue();
        assertThat(outcome.failure()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 429, 500, 503})
    void whatCannotBeSeenJustNowGoesOn(int status) throws Exception {
        assertThat(Operation.parse(status, "")).isEqualTo(Operation.Outcome.UNKNOWN);
    }

    @Test
    void aRefusalForAPreconditionSaysNothingOfWhatIsThere() {
        assertThat(ArmError.of(412, "PreconditionFailed", "").isDefinite()).isFalse();
        assertThat(ArmError.of(408, "", "").isDefinite()).isFalse();
        assertThat(ArmError.of(409, "QuotaExceeded", "").isDefinite()).isTrue();
        assertThat(ArmError.of(500, "", "").isDefinite()).isFalse();
    }
}
