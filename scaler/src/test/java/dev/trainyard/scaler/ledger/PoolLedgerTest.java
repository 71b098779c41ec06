package dev.trainyard.scaler.ledger;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.ledger.Debt.Request;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PoolLedgerTest {

    private static final Instant LATER = NOON.plusSeconds(60);

    @Test
    void aMachineOfTheSameShortOrderDoesNotProveThatTheCloudDeliversAgain() {
        var ledger = failed(PoolLedger.EMPTY, FailureKind.CAPACITY, NOON, NOON);

        assertThat(recovered(ledger, NOON.plusSeconds(5))).isFalse();
        assertThat(recovered(ledger, LATER)).isTrue();
    }

    @Test
    void aMachineFromTheFutureProvesNothing() {
        var ledger = failed(PoolLedger.EMPTY, FailureKind.CAPACITY, NOON, NOON);

        assertThat(recovered(ledger, LATER.plusSeconds(1))).isFalse();
    }

    /**
     * Otherwise the pool's requests would be withdrawn and made in another pool, long after the pool delivers again. New failures would be
     * ignored.
     */
    @Test
    void aBackOffThatWouldBeginOnlyLaterIsForgotten() {
        var ledger = failed(PoolLedger.EMPTY, FailureKind.CAPACITY, NOON, NOON);

        assertThat(ledger.asOf(LATER)).isEqualTo(ledger);
        assertThat(ledger.asOf(NOON.minusSeconds(60)).backOff())
                .as("another machine's clock")
                .isPresent();
        assertThat(ledger.asOf(NOON.minusSeconds(61)).backOff()).isEmpty();
    }

    @Test
    void afterALaunchTimeoutOnlyAUsableNodeOfALaterOrderProvesAnything() {
        var ledger = failed(PoolLedger.EMPTY, FailureKind.LAUNCH_TIMEOUT, NOON, NOON);
        var early = List.of(machine(NOON.plusSeconds(5)));
        var late = List.of(machine(LATER));

        assertThat(ledger.recovered(late, List.of(), LATER).backOff()).isPresent();
        assertThat(ledger.recovered(early, early, LATER).backOff()).isPresent();
        assertThat(ledger.recovered(late, late, LATER).backOff()).isEmpty();
    }

    @Test
    void whatComesOfOrdersFromBeforeTheBackOffIsNoFurtherFailure() {
        var first = failed(PoolLedger.EMPTY, FailureKind.LAUNCH_TIMEOUT, NOON, NOON.minusSeconds(900));
        var second = failed(first, FailureKind.LAUNCH_TIMEOUT, LATER.plusSeconds(9), NOON.minusSeconds(831));

        assertThat(second.backOff()).isEqualTo(first.backOff());
        assertThat(second.heededUntil()).isEqualTo(LATER.plusSeconds(9));
        assertThat(failures(failed(second, FailureKind.LAUNCH_TIMEOUT, LATER.plusSeconds(900), LATER)))
                .isEqualTo(2);
    }

    @Test
    void thatAnOrderWillNotBeFilledIsAlwaysNews() {
        var throttled = failed(PoolLedger.EMPTY, FailureKind.THROTTLED, NOON, NOON);
        var at = NOON.plusSeconds(1);
        var both = throttled.failed(
                List.of(
                        new Setback(new Failure(FailureKind.QUOTA, "over quota", at), at, true),
                        new Setback(new Failure(FailureKind.LAUNCH_TIMEOUT, "late", at.plusSeconds(1)), NOON, true)),
                at.plusSeconds(1));

        assertThat(both.backOff().map(BackOff::kind)).contains(FailureKind.QUOTA);
        assertThat(both.heededUntil()).isEqualTo(at.plusSeconds(1));
    }

    @Test
    void countsAsInARowWhatWasOrderedSoonAfterTheBackOffHoweverLongItTookToFail() {
        var first = failed(PoolLedger.EMPTY, FailureKind.LAUNCH_TIMEOUT, NOON, NOON);

        assertThat(failures(failed(first, FailureKind.LAUNCH_TIMEOUT, LATER.plusSeconds(7200), LATER)))
                .isEqualTo(2);
        assertThat(failures(
                        failed(first, FailureKind.LAUNCH_TIMEOUT, LATER.plusSeconds(7200), LATER.plusSeconds(3600))))
                .isEqualTo(1);
    }

    @Test
    void eachRequestIsOwedSinceItWasMade() {
        var first = read(PoolLedger.EMPTY, 3, NOON);
        var both = read(first, 5, NOON.plusSeconds(60));
        assertThat(both.debt().requests()).containsExactly(new Request(NOON, 3), new Request(NOON.plusSeconds(60), 2));

        var one = read(both, 4, NOON.plusSeconds(90), "a");
        assertThat(one.debt().since()).contains(NOON);

        var replaced = read(one, 4, NOON.plusSeconds(120), "a", "b", "c");
        assertThat(replaced.debt().requests())
                .as("two arrived, and two more were requested")
                .containsExactly(new Request(NOON.plusSeconds(60), 2), new Request(NOON.plusSeconds(120), 2));

        assertThat(read(replaced, 1, NOON.plusSeconds(130), "a", "b", "c")
                        .debt()
                        .requests())
                .as("what is withdrawn was requested last")
                .containsExactly(new Request(NOON.plusSeconds(60), 1));
        assertThat(read(replaced, 0, NOON.plusSeconds(130), "a", "b", "c").debt())
                .isEqualTo(Debt.NONE);
    }

    @Test
    void whatArrivesOneByOneDoesNotProlongTheWaitForTheRest() {
        var ledger = read(PoolLedger.EMPTY, 100, NOON);
        for (int i = 1; i <= 20; i++) {
            var names = IntStream.rangeClosed(1, i).mapToObj(n -> "m" + n).toArray(String[]::new);
            ledger = read(ledger, 100 - i, NOON.plusSeconds(120L * i), names);
        }

        assertThat(ledger.debt().requests()).containsExactly(new Request(NOON, 80));
        assertThat(ledger.restartDebt(LATER).debt().requests()).containsExactly(new Request(LATER, 80));
    }

    @Test
    void manyRequestsAreRememberedAsFew() {
        var ledger = PoolLedger.EMPTY;
        for (int i = 1; i <= 60; i++) {
            ledger = read(ledger, i, NOON.plusSeconds(i));
        }

        assertThat(ledger.debt().requests()).hasSize(50).last().isEqualTo(new Request(NOON.plusSeconds(60), 11));
        assertThat(ledger.debt().since()).contains(NOON.plusSeconds(1));
    }

    @Test
    void machinesOfAPoolThatIsTooLargeToRememberArrive() {
        var many = IntStream.range(0, 600).mapToObj("m%03d"::formatted).toArray(String[]::new);
        var before = read(read(PoolLedger.EMPTY, 0, NOON, many), 2, NOON, many);
        var more = Stream.concat(Stream.of(many), Stream.of("z")).toArray(String[]::new);

        var later = read(read(before, 3, NOON.plusSeconds(30), many), 2, NOON.plusSeconds(60), more);

        assertThat(later.debt().requests()).containsExactly(new Request(NOON, 1), new Request(NOON.plusSeconds(30), 1));
    }

    @Test
    void patienceEndsThoughTheClockIsSetBack() {
        var owed = read(PoolLedger.EMPTY, 1, LATER);

        assertThat(read(owed, 1, NOON).debt().since()).contains(NOON);
        assertThat(PoolLedger.EMPTY.unread(LATER).unread(NOON).unreadSince()).contains(NOON);
    }

    @Test
    void whatIsFoundNowIsNewsThoughAFailureWasAnsweredBeforeTheClockWasSetBack() {
        var over = new PoolLedger(Optional.empty(), LATER, Debt.NONE, Optional.empty(), 0);
        var found = new Failure(FailureKind.CAPACITY, "no machine came", NOON);

        assertThat(failures(over.failed(List.of(Setback.once(found)), NOON))).isEqualTo(1);
        assertThat(failures(over.refused(found, NOON))).isEqualTo(1);
        assertThat(failures(over.failed(List.of(Setback.of(found)), NOON))).isZero();
        assertThat(over.refused(found, NOON).heededUntil()).isEqualTo(LATER);
    }

    @Test
    void aProvisionalExclusionKeepsTheNumberOfFailures() {
        var once = PoolLedger.EMPTY.excluded("pods", false, "no", NOON);
        var joined = NOON.plus(Duration.ofMinutes(31));
        var settled = joined.plusSeconds(60);
        var provisional = once.excludedUntil(settled, "pods", "not certain", joined);
        assertThat(provisional.nodes().exclusion("pods", joined))
                .map(Exclusion::isProvisional)
                .contains(true);

        var twice = provisional.excluded("pods", false, "no", settled);
        assertThat(twice.nodes().exclusions())
                .containsExactly(new Exclusion("pods", settled.plus(Duration.ofHours(1)), 2, "no"));
        assertThat(provisional.admitted(Set.of("pods")).nodes().exclusions()).isEmpty();
    }

    private static PoolLedger read(PoolLedger ledger, int owed, Instant at, String... withNode) {
        var machines = Set.of(withNode);
        return ledger.read(owed, machines, at).machines(machines, machines, Set.of(), at);
    }

    private static PoolLedger failed(PoolLedger ledger, FailureKind kind, Instant at, Instant ordered) {
        return ledger.failed(List.of(new Setback(new Failure(kind, "no", at), ordered, true)), at);
    }

    private static int failures(PoolLedger ledger) {
        return ledger.backOff().map(BackOff::failures).orElse(0);
    }

    private static boolean recovered(PoolLedger ledger, Instant ordered) {
        return ledger.recovered(List.of(machine(ordered)), List.of(), LATER)
                .backOff()
                .isEmpty();
    }

    private static Machine machine(Instant ordered) {
        return SnapshotFixture.machine("light", "m", Machine.State.RUNNING, ordered);
    }
}
