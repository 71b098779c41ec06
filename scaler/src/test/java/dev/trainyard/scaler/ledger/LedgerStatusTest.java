package dev.trainyard.scaler.ledger;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import org.junit.jupiter.api.Test;

class LedgerStatusTest {

    @Test
    void aBackOffWithoutAnEndIsNone() throws JsonProcessingException {
        var status = new ObjectMapper()
                .readValue("{\"backOff\": {\"failures\": 2}, \"conditions\": [{}]}", TrainingPoolStatus.class);

        assertThat(LedgerStatus.read(status)).isEqualTo(PoolLedger.EMPTY);
    }

    @Test
    void countsFailuresOverARestartAfterTheBackOffUntilTheyAreForgiven() {
        var ledger = PoolLedger.EMPTY.refused(new Failure(FailureKind.QUOTA, "over quota", NOON), NOON);

        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(301))).isNotNull();
        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(300 + 3600))).isNull();
    }
}
