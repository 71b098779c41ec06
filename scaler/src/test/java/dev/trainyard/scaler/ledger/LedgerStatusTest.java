package dev.trainyard.scaler.ledger;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.OwedStatus;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LedgerStatusTest {

    @Test
    void aBackOffWithoutAnEndIsNone() throws JsonProcessingException {
        var status = new ObjectMapper()
                .readValue("{\"backOff\": {\"failures\": 2}, \"conditions\": [{}]}", TrainingPoolStatus.class);

        assertThat(LedgerStatus.read(status)).isEqualTo(PoolLedger.EMPTY);
    }

    @Test
    void whatIsOwedIsReadAsItWasWritten() {
        var ledger = PoolLedger.EMPTY.read(2, Set.of(), NOON).read(5, Set.of(), NOON.plusSeconds(60));

        assertThat(LedgerStatus.read(status(LedgerStatus.owed(ledger), 5)).debt())
                .isEqualTo(ledger.debt());
        assertThat(LedgerStatus.owed(PoolLedger.EMPTY)).isNull();
    }

    @Test
    void whatAnOlderReleaseSaysToBeOwedIsOwedSinceItsCondition() {
        assertThat(LedgerStatus.read(status(null, 5)).debt().requests()).containsExactly(new Debt.Request(NOON, 5));
        assertThat(LedgerStatus.read(status(null, 0)).debt()).isEqualTo(Debt.NONE);
    }

    private static TrainingPoolStatus status(@Nullable List<OwedStatus> owed, int upcoming) {
        var condition = new ConditionStatus(LedgerStatus.UPCOMING, "True", "Owed", "", NOON.toString());
        return new TrainingPoolStatus(null, null, null, upcoming, owed, null, null, null, null, List.of(condition));
    }

    @Test
    void countsFailuresOverARestartAfterTheBackOffUntilTheyAreForgiven() {
        var ledger = PoolLedger.EMPTY.refused(new Failure(FailureKind.QUOTA, "over quota", NOON), NOON);

        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(301))).isNotNull();
        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(300 + 3600))).isNull();
    }
}
