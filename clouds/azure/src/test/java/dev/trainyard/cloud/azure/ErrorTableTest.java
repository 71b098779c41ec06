package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.provider.FailureKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorTableTest {

    @ParameterizedTest
    @CsvSource({
        "AllocationFailed, CAPACITY, SPOT_CAPACITY",
        "zonalallocationfailed, CAPACITY, SPOT_CAPACITY",
        "QuotaExceeded, QUOTA, QUOTA",
        "VMSizeNotSupported, INVALID_CONFIGURATION, INVALID_CONFIGURATION",
        "OperationPreempted, CONFLICT, CONFLICT",
        "AuthorizationFailed, AUTH, AUTH",
        "SubscriptionRequestsThrottled, THROTTLED, THROTTLED",
        "InternalExecutionError, TRANSIENT, TRANSIENT",
        "NobodyKnowsThisOne, TRANSIENT, TRANSIENT"
    })
    void codesHaveTheirKinds(String code, FailureKind onDemand, FailureKind spot) {
        var error = ArmError.of(200, code, "words");
        assertThat(ErrorTable.kind(error, false)).isEqualTo(onDemand);
        assertThat(ErrorTable.kind(error, true)).isEqualTo(spot);
    }

    @ParameterizedTest
    @CsvSource({
        "401, AUTH",
        "403, AUTH",
        "404, INVALID_CONFIGURATION",
        "409, CONFLICT",
        "412, CONFLICT",
        "429, THROTTLED",
        "500, TRANSIENT",
        "503, TRANSIENT",
        "0, TRANSIENT"
    })
    void anAnswerWithoutACodeIsJudgedByItsStatus(int status, FailureKind kind) {
        assertThat(ErrorTable.kind(ArmError.of(status, "", ""), true)).isEqualTo(kind);
    }

    @Test
    void whatIsWrappedSaysMoreThanTheWrapping() {
        var quota = ArmError.of(409, "OperationNotAllowed", "exceeding approved LowPriorityCores quota");
        var error = new ArmError(409, "Conflict", "The request failed.", List.of(quota));
        assertThat(ErrorTable.kind(error, true)).isEqualTo(FailureKind.QUOTA);
        assertThat(error.words()).contains("The request failed.", "LowPriorityCores");
    }

    @Test
    void anErrorNamesItsStatusOnlyIfAzureAnswered() {
        assertThat(ArmError.of(503, "", "busy").words()).isEqualTo("HTTP 503: busy");
        assertThat(ArmError.of(0, "", "no answer within 5 s").words()).isEqualTo("no answer within 5 s");
    }

    @Test
    void throttlingIsThrottlingWhateverItsWrapping() {
        var inner = ArmError.of(409, "TooManyRequests", "HighCostGet30Min");
        assertThat(ErrorTable.kind(new ArmError(409, "OperationNotAllowed", "rejected", List.of(inner)), true))
                .isEqualTo(FailureKind.THROTTLED);
    }
}
