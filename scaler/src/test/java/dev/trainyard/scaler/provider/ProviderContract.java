package dev.trainyard.scaler.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.trainyard.scaler.provider.CloudStage.Ability;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of every {@link CloudProvider}. One subclass for each cloud, and for each test double of one. */
public abstract class ProviderContract {

    private CloudStage cloud;

    /** Returns a new cloud. */
    protected abstract CloudStage open() throws Exception;

    @BeforeEach
    void raise() throws Exception {
        cloud = open();
    }

    @AfterEach
    void strike() {
        if (cloud != null) {
            cloud.close();
        }
    }

    // Readings.

    @Test
    void aPoolWithoutMachinesIsReadAsEmpty() throws Exception {
        var state = read();
        assertThat(state.target()).isZero();
        assertThat(state.machines()).isEmpty();
        assertThat(state.failures()).isEmpty();
    }

    @Test
    void whatWasAskedForIsTheTargetAtOnce() throws Exception {
        grow(0, 3);
        var state = read();
        assertThat(state.target()).isEqualTo(3);
        assertThat(state.present() + state.unfilled()).isEqualTo(3);
        assertThat(cloud.target()).isEqualTo(3);
    }

    @Test
    void machinesBeingMadeAreThereAndDoNotRun() throws Exception {
        needs(Ability.MAKES_SLOWLY);
        grow(0, 2);
        cloud.appear();
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.CREATING, State.CREATING);
        assertThat(read().unfilled()).isZero();
    }

    @Test
    void machinesRunInTheEndAndAreToldApart() throws Exception {
        grow(0, 3);
        cloud.settle();
        var state = read();
        assertThat(state.target()).isEqualTo(3);
        assertThat(state.failures()).isEmpty();
        assertThat(state.machines())
                .extracting(Machine::state)
                .containsOnly(State.RUNNING)
                .hasSize(3);
        assertThat(ids(state)).hasSize(3).isEqualTo(cloud.machines());
        assertThat(state.machines().stream().map(m -> m.providerId().toLowerCase(Locale.ROOT)))
                .doesNotHaveDuplicates();
    }

    @Test
    void whenAMachineWasMadeStaysTheSame() throws Exception {
        grow(0, 2);
        cloud.settle();
        var first = read().machines().stream().collect(Collectors.toMap(Machine::id, Machine::since));
        assertThat(first.values()).allMatch(since -> since.isAfter(Instant.EPOCH));
        cloud.restart();
        cloud.settle();
        assertThat(read().machines().stream().collect(Collectors.toMap(Machine::id, Machine::since)))
                .isEqualTo(first);
    }

    @Test
    void aStockOutIsAFailureOfItsKindWhileWhatCameIsThere() throws Exception {
        needs(Ability.RUNS_OUT);
        cloud.stock(2);
        grow(0, 5);
        cloud.settle();
        var state = read();
        assertThat(running(state)).hasSize(2).isEqualTo(cloud.machines());
        assertThat(state.failures()).isNotEmpty().allSatisfy(failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.SPOT_CAPACITY);
            assertThat(failure.message()).isNotBlank();
        });
    }

    @Test
    void aFailureIsToldAgainWithTheSameTimeAlsoAfterARestart() throws Exception {
        needs(Ability.RUNS_OUT, Ability.REMEMBERS_FAILURES);
        cloud.stock(0);
        grow(0, 1);
        cloud.settle();
        var first = times(read());
        cloud.restart();
        assertThat(times(read())).isEqualTo(first).isNotEmpty();
    }

    @Test
    void aVanishedMachineCountsNoMore() throws Exception {
        needs(Ability.LOSES_MACHINES);
        grow(0, 2);
        cloud.settle();
        var lost = cloud.machines().iterator().next();
        cloud.vanish(lost);
        assertThat(read().machines().stream().filter(Machine::counts).map(Machine::id))
                .doesNotContain(lost);
    }

    @Test
    void aSizeThatSomebodyElseSetShows() throws Exception {
        needs(Ability.IS_RESIZED);
        cloud.resize(4);
        assertThat(read().target()).isEqualTo(4);
    }

    @Test
    void boundsOfTheCloudResourceShow() throws Exception {
        needs(Ability.IS_BOUNDED);
        cloud.bound(0, 3);
        assertThat(read().bounds().most()).isEqualTo(3);
    }

    // Failed reads leave the pool unknown.

    @Test
    void throttlingIsNoReadingAndBlamesNobody() throws Exception {
        needs(Ability.FAILS);
        grow(0, 2);
        cloud.settle();
        cloud.throttle();
        assertThat(refusal(this::read)).isEqualTo(FailureKind.THROTTLED);
        assertThat(FailureKind.THROTTLED.unfillable()).isFalse();
        cloud.clearFaults();
        assertThat(read().target()).isEqualTo(2);
        assertThat(read().failures()).isEmpty();
    }

    @Test
    void aCloudThatDoesNotAnswerIsNotRead() throws Exception {
        needs(Ability.FAILS);
        grow(0, 2);
        cloud.settle();
        cloud.breakDown();
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        cloud.clearFaults();
        assertThat(running(read())).isEqualTo(cloud.machines()).hasSize(2);
    }

    @Test
    void whoIsNotPermittedIsTold() throws Exception {
        needs(Ability.FAILS);
        cloud.forbid();
        assertThat(refusal(this::read)).isEqualTo(FailureKind.AUTH);
        assertThat(refusal(() -> grow(0, 1))).isEqualTo(FailureKind.AUTH);
        cloud.clearFaults();
        assertThat(cloud.target()).isZero();
    }

    @Test
    void nothingChangesWhileTheCloudRefusesAllRequests() throws Exception {
        needs(Ability.FAILS);
        grow(0, 3);
        cloud.settle();
        var machines = read().machines();
        for (Runnable trouble : List.<Runnable>of(cloud::throttle, cloud::breakDown, cloud::forbid)) {
            trouble.run();
            refusal(() -> grow(3, 5));
            refusal(() -> withdraw(3, 2));
            refusal(() -> terminate(machines));
            cloud.clearFaults();
        }
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(3);
        assertThat(cloud.machines()).hasSize(3);
    }

    // Growing.

    @Test
    void growingAgainWithTheSameArgumentsBuysNothingMore() throws Exception {
        grow(0, 2);
        cloud.restart();
        grow(0, 2);
        cloud.settle();
        grow(0, 2);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void growingOnATargetThatIsNotTrueAnyMoreIsAConflict() throws Exception {
        grow(0, 2);
        cloud.settle();
        assertThat(refusal(() -> grow(0, 3))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void growingNeverUndoesWhatSomebodyElseAskedFor() throws Exception {
        needs(Ability.IS_RESIZED);
        cloud.resize(6);
        assertThat(refusal(() -> grow(0, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(6);
        assertThat(cloud.machines()).hasSize(6);
    }

    @Test
    void anOrderWhoseAnswerIsLostBuysOnce() throws Exception {
        needs(Ability.LOSES_ANSWERS);
        cloud.loseAnswer();
        try {
            grow(0, 2);
        } catch (ProviderException e) {
            assertThat(e.kind().unfillable()).as(e.words()).isFalse();
        }
        grow(0, 2);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void growingAboveWhatTheResourceTakesIsAMatterOfConfiguration() throws Exception {
        needs(Ability.IS_BOUNDED);
        cloud.bound(0, 3);
        assertThat(refusal(() -> grow(0, 4))).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(cloud.target()).isZero();
    }

    // Withdrawing.

    @Test
    void whatIsNotFilledIsTakenBackAndNothingElse() throws Exception {
        needs(Ability.RUNS_OUT);
        cloud.stock(2);
        grow(0, 5);
        cloud.settle();
        var there = cloud.machines();
        int asked = read().target();
        withdraw(asked, 2);
        cloud.stock(10);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).isEqualTo(there);
        assertThat(read().unfilled()).isZero();
    }

    @Test
    void anOrderThatIsNotFilledAtAllIsTakenBackWhole() throws Exception {
        needs(Ability.RUNS_OUT);
        cloud.stock(0);
        grow(0, 4);
        cloud.settle();
        withdraw(read().target(), 0);
        cloud.stock(10);
        cloud.settle();
        assertThat(cloud.target()).isZero();
        assertThat(cloud.machines()).isEmpty();
    }

    @Test
    void takingBackAgainChangesNothingMore() throws Exception {
        needs(Ability.RUNS_OUT);
        cloud.stock(2);
        grow(0, 5);
        cloud.settle();
        int asked = read().target();
        withdraw(asked, 2);
        cloud.restart();
        withdraw(asked, 2);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void takingBackNeverTouchesAMachineThatRuns() throws Exception {
        grow(0, 3);
        cloud.settle();
        var there = cloud.machines();
        assertThat(refusal(() -> withdraw(3, 1))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).isEqualTo(there).hasSize(3);
        assertThat(cloud.target()).isEqualTo(3);
    }

    @Test
    void takingBackNeverTouchesAMachineThatIsBeingMade() throws Exception {
        needs(Ability.MAKES_SLOWLY);
        grow(0, 3);
        cloud.appear();
        assertThat(refusal(() -> withdraw(3, 0))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(3);
    }

    @Test
    void takingBackWhatCameInTheMeantimeIsAConflict() throws Exception {
        needs(Ability.RUNS_OUT, Ability.DELIVERS_LATE);
        cloud.stock(2);
        grow(0, 5);
        cloud.settle();
        cloud.stock(10);
        cloud.settle();
        assertThat(refusal(() -> withdraw(5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(5);
    }

    @Test
    void takingBackOnATargetThatIsNotTrueAnyMoreIsAConflict() throws Exception {
        needs(Ability.RUNS_OUT, Ability.IS_RESIZED);
        cloud.stock(1);
        grow(0, 3);
        cloud.settle();
        int asked = read().target();
        cloud.resize(asked + 2);
        assertThat(refusal(() -> withdraw(asked, 1))).isEqualTo(FailureKind.CONFLICT);
        assertThat(cloud.target()).isEqualTo(asked + 2);
    }

    // Terminating.

    @Test
    void exactlyTheNamedMachinesGo() throws Exception {
        grow(0, 4);
        cloud.settle();
        var machines = read().machines();
        terminate(machines.subList(1, 3));
        cloud.settle();
        assertThat(cloud.machines())
                .containsExactlyInAnyOrder(machines.get(0).id(), machines.get(3).id());
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(read().target()).isEqualTo(2);
        assertThat(read().present()).isEqualTo(2);
    }

    @Test
    void terminatingAgainTakesNothingMore() throws Exception {
        grow(0, 3);
        cloud.settle();
        var doomed = read().machines().subList(0, 1);
        terminate(doomed);
        cloud.restart();
        terminate(doomed);
        cloud.settle();
        terminate(doomed);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void aTerminationWhoseAnswerIsLostTakesOneMachine() throws Exception {
        needs(Ability.LOSES_ANSWERS);
        grow(0, 3);
        cloud.settle();
        var doomed = read().machines().subList(0, 1);
        cloud.loseAnswer();
        try {
            terminate(doomed);
        } catch (ProviderException e) {
            assertThat(e.kind().unfillable()).as(e.words()).isFalse();
        }
        terminate(doomed);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void machinesThatAreGoneArePassedOver() throws Exception {
        needs(Ability.LOSES_MACHINES);
        grow(0, 3);
        cloud.settle();
        var machines = read().machines();
        cloud.vanish(machines.get(0).id());
        terminate(machines.subList(0, 2));
        assertThat(cloud.machines())
                .contains(machines.get(2).id())
                .doesNotContain(machines.get(1).id());
    }

    @Test
    void aMachineThatTheCloudDoesNotKnowCostsNoOther() throws Exception {
        grow(0, 2);
        cloud.settle();
        var known = read().machines().get(0);
        var stranger =
                new Machine(strangeId(known.id()), strangeId(known.providerId()), null, State.RUNNING, known.since());
        terminate(List.of(stranger));
        cloud.settle();
        assertThat(cloud.machines()).hasSize(2);
        assertThat(cloud.target()).isEqualTo(2);
    }

    @Test
    void aMachineThatIsBeingMadeCanBeTerminated() throws Exception {
        needs(Ability.MAKES_SLOWLY);
        grow(0, 2);
        cloud.appear();
        var doomed = read().machines().subList(0, 1);
        terminate(doomed);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(1).doesNotContain(doomed.get(0).id());
        assertThat(cloud.target()).isEqualTo(1);
    }

    @Test
    void terminatingWhileAnOrderIsOpenLeavesTheOrderOpen() throws Exception {
        needs(Ability.RUNS_OUT);
        cloud.stock(2);
        grow(0, 5);
        cloud.settle();
        var before = read();
        var doomed = before.machines().stream()
                .filter(machine -> machine.state() == State.RUNNING)
                .limit(1)
                .toList();
        terminate(doomed);
        assertThat(read().target()).isEqualTo(before.target() - 1);
        assertThat(cloud.machines()).doesNotContain(doomed.get(0).id());
    }

    @Test
    void whatTheResourceMustKeepIsKeptAndTheOthersGo() throws Exception {
        needs(Ability.IS_BOUNDED, Ability.KEEPS_ITS_LEAST);
        grow(0, 3);
        cloud.settle();
        cloud.bound(2, 10);
        var machines = read().machines();
        assertThat(read().bounds().least()).isEqualTo(2);
        assertThat(refusal(() -> terminate(machines))).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2).isSubsetOf(ids(machines));
    }

    @Test
    void aPoolThatGrewCanGoBackToNothingAndGrowAgain() throws Exception {
        grow(0, 4);
        cloud.settle();
        var first = cloud.machines();
        terminate(read().machines());
        cloud.settle();
        assertThat(cloud.target()).isZero();
        assertThat(cloud.machines()).isEmpty();
        assertThat(read().present()).isZero();
        grow(0, 2);
        cloud.settle();
        assertThat(read().target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2).doesNotContainAnyElementsOf(first);
    }

    // Helpers.

    private void needs(Ability... abilities) {
        var missing = EnumSet.noneOf(Ability.class);
        missing.addAll(List.of(abilities));
        missing.removeAll(cloud.abilities());
        assumeTrue(missing.isEmpty(), () -> "this cloud, or its double, cannot be made to: " + missing);
    }

    private PoolState read() throws ProviderException {
        return cloud.provider().read(cloud.pool());
    }

    private void grow(int from, int to) throws ProviderException {
        cloud.provider().grow(cloud.pool(), from, to);
    }

    private void withdraw(int from, int to) throws ProviderException {
        cloud.provider().withdraw(cloud.pool(), from, to);
    }

    private void terminate(List<Machine> machines) throws ProviderException {
        cloud.provider().terminate(cloud.pool(), machines);
    }

    /** A call that a test expects to be refused. */
    @FunctionalInterface
    private interface Command {
        void give() throws ProviderException;
    }

    private static FailureKind refusal(Command command) {
        var refusal = catchThrowableOfType(ProviderException.class, command::give);
        assertThat(refusal).as("refused").isNotNull();
        assertThat(refusal.words()).isNotBlank();
        return refusal.kind();
    }

    private static List<Instant> times(PoolState state) {
        return new ArrayList<>(
                state.failures().stream().map(Failure::at).sorted().toList());
    }

    private static Set<String> ids(PoolState state) {
        return ids(state.machines());
    }

    private static Set<String> ids(List<Machine> machines) {
        return machines.stream().map(Machine::id).collect(Collectors.toSet());
    }

    private static Set<String> running(PoolState state) {
        return state.machines().stream()
                .filter(machine -> machine.state() == State.RUNNING)
                .map(Machine::id)
                .collect(Collectors.toSet());
    }

    /** Returns another identifier of the same form: its last digit differs. */
    private static String strangeId(String id) {
        char last = id.charAt(id.length() - 1);
        return id.substring(0, id.length() - 1) + (last == '9' ? '7' : '9');
    }
}
