package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Removal.Reason;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What pools remember of machines that are gone. */
class ReclaimMemoryTest {

    private static final String POOL = "spot";
    private static final String ANNOUNCEMENT = "aws-node-termination-handler/spot-itn";

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @BeforeEach
    void twoMachinesRun() {
        testCluster
                .pool(POOL, Objects.spot(1))
                .cloud(POOL, 2, machine("a", State.RUNNING), machine("b", State.RUNNING))
                .node("a", POOL)
                .node("b", POOL)
                .observe();
        assertThat(ledger().reliability().machines()).isEqualTo(2);
    }

    @Test
    void aMachineThatVanishesWasReclaimedOnce() {
        vanishes();
        assertThat(reclaims()).as("one list may be wrong").isZero();

        removeNode();
        observeFor(Duration.ofHours(1));
        assertThat(reclaims()).isEqualTo(1);
        assertThat(ledger().reliability().machines()).isEqualTo(1);
    }

    @Test
    void aMachineWhoseNodeWentFirstWasReclaimedOnce() {
        removeNode();
        later(Duration.ofSeconds(30));
        vanishes();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isEqualTo(1);
    }

    @Test
    void aMachineThatWasRemovedBecauseOfItsNoticeWasReclaimedOnce() {
        mark(Reason.RECLAIM_ANNOUNCED);
        later(Duration.ofMinutes(1));
        terminating();
        vanishes();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isEqualTo(1);
    }

    @Test
    void aMachineThatTheCloudStoppedWasReclaimedOnce() {
        testCluster.cloud(POOL, 2, machine("a", State.FAILED), machine("b", State.RUNNING));
        removeNode();
        observeFor(Duration.ofMinutes(5));
        vanishes();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"RECLAIM_ANNOUNCED"},
            mode = EnumSource.Mode.EXCLUDE)
    void aMachineThatTheScalerRemovesWasNotReclaimed(Reason reason) {
        mark(reason);
        later(Duration.ofMinutes(1));
        terminating();
        testCluster.cloud(POOL, 1, machine("a", State.DELETING), machine("b", State.RUNNING));
        later(Duration.ofMinutes(1));
        removeNode();
        later(Duration.ofSeconds(10));
        vanishes();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isZero();
        assertThat(ledger().nodes().removing()).isEmpty();
        assertThat(ledger().nodes().vanished()).isEmpty();
    }

    @Test
    void aMachineWhoseRemovalWasCancelledMayBeReclaimed() {
        mark(Reason.IDLE);
        later(Duration.ofSeconds(10));
        testCluster.nodes.removeIf(node -> node.getMetadata().getName().equals("a"));
        testCluster.node("a", POOL);
        later(Duration.ofSeconds(10));
        vanishes();
        removeNode();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isEqualTo(1);
    }

    @Test
    void aMachineThatIsGivenUpWithoutItsNodeWasNotReclaimed() {
        removeNode();
        observeFor(Duration.ofMinutes(2));
        vanishes();
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isZero();
    }

    @Test
    void aMachineThatOneListLacksWasNotReclaimed() {
        vanishes();
        later(Duration.ofSeconds(30));
        testCluster.cloud(POOL, 2, machine("a", State.RUNNING), machine("b", State.RUNNING));
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isZero();
        assertThat(ledger().nodes().vanished()).isEmpty();
    }

    @Test
    void aMachineThatOutlivesItsNoticeWasNotReclaimed() {
        testCluster.nodes.removeIf(node -> node.getMetadata().getName().equals("a"));
        testCluster.node(
                "a",
                POOL,
                node -> node.editSpec()
                        .addNewTaint()
                        .withKey(ANNOUNCEMENT)
                        .withEffect("NoSchedule")
                        .endTaint()
                        .endSpec());
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isZero();
        assertThat(ledger().reliability().machines()).isEqualTo(2);
    }

    @Test
    void aMachineThatNeverJoinedWasNotReclaimed() {
        testCluster.cloud(
                POOL, 3, machine("a", State.RUNNING), machine("b", State.RUNNING), machine("c", State.RUNNING));
        later(Duration.ofMinutes(1));
        testCluster.cloud(POOL, 2, machine("a", State.RUNNING), machine("b", State.RUNNING));
        observeFor(Duration.ofHours(1));

        assertThat(reclaims()).isZero();
    }

    @Test
    void anotherScalerCountsOnFromTheStatus() {
        mark(Reason.IDLE);
        later(Duration.ofSeconds(10));
        testCluster.cloud(POOL, 1, machine("a", State.DELETING), machine("b", State.RUNNING));
        removeNode();
        restart();
        testCluster.cloud(POOL, 0);
        testCluster.nodes.clear();
        later(Duration.ofSeconds(10));
        restart();
        assertThat(ledger().nodes().vanished()).containsOnlyKeys("b");
        observeFor(Duration.ofMinutes(2));
        var known = ledger();
        restart();

        assertThat(reclaims()).isEqualTo(1);
        assertThat(ledger()).isEqualTo(known);
    }

    @Test
    void aClockThatIsSetBackOnlyRestartsTheMinute() {
        vanishes();
        removeNode();
        later(Duration.ofDays(-1));
        observeFor(Duration.ofMinutes(1));

        assertThat(reclaims()).isEqualTo(1);
    }

    @Test
    void timeAloneDoesNotChangeTheStatus() {
        later(Duration.ofSeconds(10));
        var status = LedgerStatus.reliability(ledger());
        observeFor(Duration.ofHours(3));

        assertThat(LedgerStatus.reliability(ledger())).isEqualTo(status);
    }

    private void vanishes() {
        testCluster.cloud(POOL, 1, machine("b", State.RUNNING));
        later(Duration.ofSeconds(10));
    }

    private void removeNode() {
        testCluster.nodes.removeIf(node -> node.getMetadata().getName().equals("a"));
        later(Duration.ofSeconds(10));
    }

    private void mark(Reason reason) {
        annotate(Names.REMOVING, new Removal(reason, testCluster.now).toString());
    }

    private void terminating() {
        annotate("trainyard.dev/terminating-since", testCluster.now.toString());
    }

    private void annotate(String name, String value) {
        testCluster.nodes.stream()
                .filter(node -> node.getMetadata().getName().equals("a"))
                .forEach(node -> node.getMetadata().getAnnotations().put(name, value));
        // The scaler has changed the object.
        testCluster.nodes.forEach(node -> node.getMetadata().setResourceVersion(testCluster.now + name));
        later(Duration.ofSeconds(10));
    }

    private void observeFor(Duration time) {
        for (var left = time; !left.isNegative() && !left.isZero(); left = left.minusSeconds(10)) {
            later(Duration.ofSeconds(10));
        }
    }

    private void later(Duration time) {
        testCluster.later(time).observe();
    }

    private void restart() {
        var ledger = ledger();
        testCluster.ledgers.put(
                POOL,
                LedgerStatus.read(new TrainingPoolStatus(
                        null,
                        null,
                        null,
                        ledger.upcoming(),
                        LedgerStatus.owed(ledger),
                        null,
                        LedgerStatus.backOff(ledger, testCluster.now),
                        null,
                        LedgerStatus.nodes(ledger),
                        LedgerStatus.reliability(ledger),
                        LedgerStatus.conditions(ledger, Optional.empty()))));
    }

    private double reclaims() {
        return Math.round(ledger().reliability().reclaims() * 10) / 10.0;
    }

    private PoolLedger ledger() {
        return testCluster.ledgers.get(POOL);
    }

    private static Machine machine(String name, State state) {
        return SnapshotFixture.machine(POOL, name, state, Objects.NOON);
    }
}
