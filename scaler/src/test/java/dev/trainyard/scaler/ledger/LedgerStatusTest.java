package dev.trainyard.scaler.ledger;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.OwedStatus;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerStatusTest {

    @Test
    void aBackOffWithoutAnEndIsNone() throws JsonProcessingException {
        var status = new ObjectMapper()
                .readValue("{\"backOff\": {\"failures\": 2}, \"conditions\": [{}]}", TrainingPoolStatus.class);

        assertThat(LedgerStatus.read(status)).isEqualTo(PoolLedger.EMPTY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"at\": \"yesterday\"}",
                "{\"at\": \"2026-01-01T12:00:00Z\", \"machines\": -1}",
                "{\"at\": \"2026-01-01T12:00:00Z\", \"machineHours\": -1}",
                "{\"at\": \"2026-01-01T12:00:00Z\", \"reclaims\": \"NaN\"}",
                "{\"at\": \"2026-01-01T12:00:00Z\", \"failedLaunches\": 1e300}"
            })
    void anInvalidReliabilityCountsAsAbsent(String reliability) throws JsonProcessingException {
        var status = new ObjectMapper()
                .readValue("{\"reliability\": %s, \"upcoming\": 3}".formatted(reliability), TrainingPoolStatus.class);

        assertThat(LedgerStatus.read(status)).isEqualTo(PoolLedger.EMPTY.expecting(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lost", "vanished"})
    void anyTimeOfALossIsRead(String losses) throws JsonProcessingException {
        var status = new ObjectMapper().readValue("""
                        {"nodes": {"joined": ["m"], "%s": {"m": "+1000000000-12-31T23:59:59.999999999Z"}}}""".formatted(losses), TrainingPoolStatus.class);

        var ledger = LedgerStatus.read(status).machines(Set.of("m"), Set.of(), Set.of(), NOON);

        assertThat(ledger.nodes().lost()).containsExactly(entry("m", NOON));
        assertThat(ledger.nodes().isGivenUp("m", NOON)).isFalse();
    }

    @Test
    void whatIsOwedIsReadAsItWasWritten() {
        var ledger = PoolLedger.EMPTY.read(2, Set.of(), NOON).read(5, Set.of(), NOON.plusSeconds(60));

        assertThat(LedgerStatus.read(status(LedgerStatus.owed(ledger), 5)).debt())
                .isEqualTo(ledger.debt());
        assertThat(LedgerStatus.owed(PoolLedger.EMPTY)).isNull();
    }

    private static TrainingPoolStatus status(@Nullable List<OwedStatus> owed, int upcoming) {
        return new TrainingPoolStatus(null, null, null, upcoming, owed, null, null, null, null, null, null);
    }

    @Test
    void readableIsUnknownIfThePoolWasNotReadButNoReadFailed() {
        var readable = condition(LedgerStatus.READABLE, PoolLedger.EMPTY, Optional.of("not read: no promise"));

        assertThat(readable.status()).isEqualTo("Unknown");
        assertThat(readable.reason()).isEqualTo("NotRead");
        assertThat(readable.message()).isEqualTo("not read: no promise");
    }

    @Test
    void readableIsFalseSinceTheFirstFailedRead() {
        var readable = condition(LedgerStatus.READABLE, PoolLedger.EMPTY.unread(NOON), Optional.of("auth: no"));

        assertThat(readable.status()).isEqualTo("False");
        assertThat(readable.reason()).isEqualTo("NotRead");
        assertThat(readable.lastTransitionTime()).isEqualTo(NOON.toString());
    }

    @Test
    void readableIsTrueIfThePoolWasRead() {
        var readable = condition(LedgerStatus.READABLE, PoolLedger.EMPTY, Optional.empty());

        assertThat(readable.status()).isEqualTo("True");
        assertThat(readable.reason()).isEqualTo("Read");
    }

    @Test
    void upcomingClaimsNoJoinedMachineIfNoneWasRequested() {
        var upcoming = condition(LedgerStatus.UPCOMING, PoolLedger.EMPTY, Optional.empty());

        assertThat(upcoming.status()).isEqualTo("False");
        assertThat(upcoming.message()).isEqualTo("no requested machine is outstanding");
    }

    @Test
    void announcedRequestNamesTheNewTotal() {
        assertThat(LedgerStatus.announced(7).message())
                .isEqualTo("the request to grow to 7 machines has no answer yet");
    }

    /** A status has a target also without a request: an answered or withdrawn request must not count again after a restart. */
    @Test
    void onlyARequestWithoutAnAnswerIsAnnounced() throws JsonProcessingException {
        var status = """
                {"target": 7, "upcoming": 2, "conditions": [{"type": "%s", "status": "True"}]}""";
        var answered = new ObjectMapper().readValue(status.formatted(LedgerStatus.READABLE), TrainingPoolStatus.class);
        var open = new ObjectMapper()
                .readValue(status.formatted(LedgerStatus.announced(7).type()), TrainingPoolStatus.class);

        assertThat(LedgerStatus.isAnnounced(answered)).isFalse();
        assertThat(LedgerStatus.isAnnounced(open)).isTrue();
    }

    private static ConditionStatus condition(String type, PoolLedger ledger, Optional<String> problem) {
        return LedgerStatus.conditions(ledger, problem).stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countsFailuresOverARestartAfterTheBackOffUntilTheyAreForgiven() {
        var ledger = PoolLedger.EMPTY.refused(new Failure(FailureKind.QUOTA, "over quota", NOON), NOON);

        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(301))).isNotNull();
        assertThat(LedgerStatus.backOff(ledger, NOON.plusSeconds(300 + 3600))).isNull();
    }
}
