package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Calls begin when the test starts them, in time that the test moves. A round does not wait for answers. */
class CloudsTest {

    private static final Pool SLOW = pool("slow");
    private static final Pool QUICK = pool("quick");
    private static final List<Pool> BOTH = List.of(SLOW, QUICK);
    private static final List<Machine> ONE =
            List.of(SnapshotFixture.machine("quick", "quick-0001", Machine.State.RUNNING, Objects.NOON));

    private final ScriptedCloud cloud = new ScriptedCloud();
    private final List<Runnable> calls = new ArrayList<>();
    private final AtomicInteger news = new AtomicInteger();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<String> waited = new ArrayList<>();
    private long nanos = 5;

    private final Clouds clouds = clouds();

    private Clouds clouds() {
        return clouds(Duration.ZERO, pauses::add);
    }

    private Clouds clouds(Duration timeout, Pauses waits) {
        var meter = new CallMeter() {
            @Override
            public void called(String provider, String operation, String result, Duration took) {}

            @Override
            public void waited(String provider, String operation, Duration wait) {
                waited.add(operation);
            }
        };
        return new Clouds(
                Map.of("kwok", cloud),
                meter,
                (provider, call) -> calls.add(call),
                new Clouds.Timing(timeout, Duration.ofSeconds(30)),
                Clock.fixed(Objects.NOON, ZoneOffset.UTC),
                () -> nanos,
                waits,
                news::incrementAndGet);
    }

    @Test
    void aCloudThatHangsIsUnknownAndKeepsNoOtherPoolWaiting() {
        clouds.read(BOTH);
        answer(1);
        var readings = clouds.read(BOTH);

        assertThat(readings.get("quick").state()).isPresent();
        assertThat(readings.get("slow")).satisfies(reading -> {
            assertThat(reading.state()).as("unknown, not zero").isEmpty();
            assertThat(reading.problem().orElseThrow())
                    .isEqualTo("transient: a call to its cloud (read) is in progress");
        });
        later(10);
        assertThat(clouds.read(BOTH).get("slow").problem().orElseThrow())
                .isEqualTo("transient: its cloud has not answered a call (read) since 2026-01-01T12:00:00Z");
    }

    @Test
    void aPoolWhoseCallIsStillRunningIsNotCalledASecondTime() {
        clouds.read(BOTH);
        for (int i = 0; i < 5; i++) {
            later(60);
            clouds.read(BOTH);
        }
        assertThat(calls).hasSize(2);
        assertThat(clouds.answer(clouds.grow(SLOW, 0, 1))).isInstanceOf(CallOutcome.Open.class);
        answerAll();
        assertThat(cloud.calls)
                .as("an order is not made when nobody waits for it any more")
                .doesNotContain("grow slow");
    }

    @Test
    void anOrderBehindACallThatIsNotLateIsOrdinary() throws ProviderException {
        readBoth();
        clouds.terminate(QUICK, ONE);
        assertThat(clouds.answer(clouds.grow(QUICK, 0, 1)))
                .isEqualTo(new CallOutcome.Open("a call to its cloud (terminate) is in progress", false, true));
        later(10);
        assertThat(clouds.answer(clouds.grow(QUICK, 0, 1)))
                .isEqualTo(new CallOutcome.Open(
                        "its cloud has not answered a call (terminate) since 2026-01-01T12:00:00Z", false));
    }

    @Test
    void aRoundUsesARecentReadingWhileANewOneIsFetched() {
        readBoth();
        cloud.targets.put("quick", 3);
        later(10);
        assertThat(target("quick")).isZero();
        assertThat(news).hasValue(0);

        answerAll();
        assertThat(news).as("only of the pool that changed").hasValue(1);
        assertThat(target("quick")).isEqualTo(3);
    }

    @Test
    void twoReadsShortlyAfterEachOtherAreOneCall() {
        readBoth();
        clouds.read(BOTH);
        assertThat(calls).isEmpty();
        assertThat(cloud.calls).containsExactly("read slow", "read quick");
    }

    @Test
    void whatWasReadLongAgoIsNoBasisForADecision() {
        readBoth();
        later(31);
        assertThat(clouds.read(BOTH).get("quick").state()).isEmpty();
    }

    @Test
    void anOrderMakesWhatWasReadBeforeItOutOfDate() {
        readBoth();
        var order = clouds.grow(QUICK, 0, 2);
        answer(0);
        assertThat(clouds.answer(order)).isEqualTo(new CallOutcome.Accepted());
        assertThat(clouds.read(BOTH).get("quick").state()).isEmpty();
        answerAll();
        assertThat(target("quick")).isEqualTo(2);
    }

    @Test
    void anOrderWaitsForTheReadThatRuns() {
        readBoth();
        later(2);
        clouds.read(BOTH);
        var order = clouds.grow(QUICK, 0, 2);
        answer(1);
        answer(1);
        assertThat(clouds.answer(order)).isEqualTo(new CallOutcome.Accepted());
    }

    @Test
    void whatIsBeingTerminatedIsToldOfAsBeforeUntilTheCallEnds() throws ProviderException {
        cloud.targets.put("quick", 2);
        readBoth();
        clouds.terminate(QUICK, ONE);
        assertThat(target("quick")).isEqualTo(2);
        answerAll();
        answerAll();
        assertThat(target("quick")).isEqualTo(1);
    }

    @Test
    void aTerminationThatFailedLaterIsToldWithTheNext() throws ProviderException {
        readBoth();
        cloud.fails("quick", problem(FailureKind.AUTH));
        clouds.terminate(QUICK, ONE);
        answerAll();
        answerAll();
        assertThatThrownBy(() -> clouds.terminate(QUICK, ONE))
                .isInstanceOfSatisfying(
                        ProviderException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.AUTH));
        answerAll();
        answerAll();
        assertThatCode(() -> clouds.terminate(QUICK, ONE)).doesNotThrowAnyException();
    }

    @Test
    void aRefusalThatCameTooLateForItsRoundIsAFailureOfThePool() {
        readBoth();
        cloud.fails("slow", problem(FailureKind.QUOTA));
        assertThat(clouds.answer(clouds.grow(SLOW, 0, 1))).isInstanceOf(CallOutcome.Open.class);
        assertThat(clouds.read(BOTH).get("slow").state()).isEmpty();
        answerAll();
        assertThat(news).hasValueGreaterThan(0);
        answerAll();
        assertThat(clouds.read(BOTH).get("slow").state().orElseThrow().failures())
                .extracting(Failure::kind)
                .containsExactly(FailureKind.QUOTA);
    }

    @Test
    void lateFailureSurvivesATerminationThatWaitsForTheNextRead() throws ProviderException {
        readBoth();
        cloud.fails("quick", problem(FailureKind.QUOTA));
        assertThat(clouds.answer(clouds.grow(QUICK, 0, 1))).isInstanceOf(CallOutcome.Open.class);
        answer(0);
        clouds.terminate(QUICK, ONE);
        answerAll();

        assertThat(cloud.calls).endsWith("read quick", "terminate quick", "read quick");
        assertThat(state(clouds.read(BOTH).get("quick")).failures())
                .extracting(Failure::kind)
                .containsExactly(FailureKind.QUOTA);
    }

    @Test
    void lateFailureEndsWithTheNextRequestForMachines() {
        readBoth();
        cloud.fails("quick", problem(FailureKind.QUOTA));
        clouds.answer(clouds.grow(QUICK, 0, 1));
        answerAll();
        clouds.answer(clouds.grow(QUICK, 0, 1));
        answerAll();

        assertThat(state(clouds.read(BOTH).get("quick")).failures()).isEmpty();
    }

    @Test
    void aWithdrawalThatIsRefusedIsNoNewsAndNotOrderedAgainForTheSameReading() {
        cloud.targets.put("quick", 3);
        readBoth();
        cloud.fails("quick", problem(FailureKind.CONFLICT));
        var order = clouds.withdraw(QUICK, 3, 1);
        answerAll();
        assertThat(clouds.answer(order)).isEqualTo(new CallOutcome.Open("conflict: in the cloud's words", false));
        assertThat(news).as("the pool reads as before").hasValue(0);

        var again = clouds.withdraw(QUICK, 3, 1);
        assertThat(calls).isEmpty();
        assertThat(clouds.answer(again)).isEqualTo(new CallOutcome.Open("conflict: in the cloud's words", false));
        assertThat(cloud.calls.stream().filter("withdraw quick"::equals)).hasSize(1);
    }

    @Test
    void aWithdrawalThatWasRefusedIsOrderedAgainWhenThePoolReadsOtherwiseOrAfterAWhile() {
        cloud.targets.put("quick", 3);
        readBoth();
        cloud.fails("quick", problem(FailureKind.CONFLICT), problem(FailureKind.CONFLICT));
        clouds.withdraw(QUICK, 3, 1);
        cloud.targets.put("quick", 4);
        answerAll();
        assertThat(news).as("the pool reads otherwise").hasValue(1);
        clouds.withdraw(QUICK, 4, 1);
        answerAll();
        later(31);
        readBoth();
        assertThat(clouds.answer(clouds.withdraw(QUICK, 4, 1))).isInstanceOf(CallOutcome.Open.class);
        answerAll();
        assertThat(cloud.calls.stream().filter("withdraw quick"::equals)).hasSize(3);
        assertThat(target("quick")).isEqualTo(1);
    }

    @Test
    void aTerminationThatFailsIsNoNews() throws ProviderException {
        readBoth();
        cloud.fails("quick", problem(FailureKind.INVALID_CONFIGURATION));
        clouds.terminate(QUICK, ONE);
        answerAll();
        assertThat(news).hasValue(0);
    }

    @Test
    void whatPassesByItselfIsTriedAgainAtOnce() {
        cloud.fails("quick", problem(FailureKind.TRANSIENT), problem(FailureKind.THROTTLED));
        readBoth();
        assertThat(clouds.read(BOTH).get("quick").state()).isPresent();
        assertThat(pauses)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(pause -> assertThat(pause).isPositive());
    }

    @Test
    void whatDoesNotPassIsNotTriedAgain() {
        cloud.fails("quick", problem(FailureKind.AUTH));
        readBoth();
        assertThat(clouds.read(BOTH).get("quick").problem()).contains("auth: in the cloud's words");
        assertThat(pauses).isEmpty();
    }

    @Test
    void throttlingLeavesThePoolAsItWasReadAndAsksItLessOften() {
        cloud.targets.put("quick", 4);
        readBoth();
        for (int i = 0; i < 20; i++) {
            cloud.fails("quick", problem(FailureKind.THROTTLED));
        }
        for (int second = 0; second < 25; second++) {
            later(1);
            assertThat(target("quick")).isEqualTo(4);
            answerAll();
        }
        assertThat(cloud.calls.stream().filter("read quick"::equals)).hasSizeLessThan(20);
        assertThat(cloud.calls.stream().filter("read slow"::equals)).hasSize(26);

        later(10);
        assertThat(clouds.read(BOTH).get("quick").state())
                .as("that was long ago")
                .isEmpty();
    }

    @Test
    void anOrderThatIsThrottledIsOpenAndNotTheFaultOfThePool() {
        readBoth();
        for (int i = 0; i < 3; i++) {
            cloud.fails("quick", problem(FailureKind.THROTTLED));
        }
        var order = clouds.grow(QUICK, 0, 1);
        answerAll();
        assertThat(clouds.answer(order)).isInstanceOf(CallOutcome.Open.class);
        assertThat(target("quick")).isZero();
        assertThat(clouds.answer(clouds.grow(QUICK, 0, 1))).as("not so soon").isInstanceOf(CallOutcome.Open.class);
        assertThat(calls).isEmpty();
    }

    /** The cloud may have carried out the first attempt: another pool must not be asked for the same machines. */
    @Test
    void requestIsOpenIfARetryIsRefusedAfterALostAnswer() {
        readBoth();
        cloud.fails("quick", problem(FailureKind.TRANSIENT), problem(FailureKind.AUTH));

        var order = clouds.grow(QUICK, 0, 1);
        answerAll();

        assertThat(clouds.answer(order))
                .isInstanceOfSatisfying(
                        CallOutcome.Open.class,
                        open -> assertThat(open.underWay()).isTrue());
    }

    @Test
    void requestIsOpenIfRetriesAreThrottledAfterALostAnswer() {
        readBoth();
        cloud.fails(
                "quick",
                problem(FailureKind.TRANSIENT),
                problem(FailureKind.THROTTLED),
                problem(FailureKind.THROTTLED));

        var order = clouds.grow(QUICK, 0, 1);
        answerAll();

        assertThat(clouds.answer(order))
                .isInstanceOfSatisfying(
                        CallOutcome.Open.class,
                        open -> assertThat(open.underWay()).isTrue());
        assertThat(clouds.read(BOTH).get("quick").state())
                .as("the reading from before the request")
                .isEmpty();
    }

    @Test
    void requestIsRefusedIfTheFirstAttemptIsRefused() {
        readBoth();
        cloud.fails("quick", problem(FailureKind.AUTH));

        var order = clouds.grow(QUICK, 0, 1);
        answerAll();

        assertThat(clouds.answer(order)).isInstanceOf(CallOutcome.Refused.class);
    }

    @Test
    void waitsAsLongAsTheCloudSays() {
        readBoth();
        cloud.fails("quick", new ProviderException(FailureKind.THROTTLED, "slow down", Duration.ofMinutes(20)));
        clouds.grow(QUICK, 0, 1);
        answerAll();
        later(19 * 60);
        clouds.read(BOTH);
        answerAll();
        assertThat(cloud.calls).endsWith("read slow");
        later(61);
        clouds.read(BOTH);
        answerAll();
        assertThat(cloud.calls).endsWith("read quick");
    }

    @Test
    void staysWithinWhatTheApiAllows() {
        cloud.limits = new CallLimits(1, 2, 1, 2);
        var thrifty = clouds();
        for (int second = 0; second < 4; second++) {
            thrifty.read(BOTH);
            answerAll();
            later(1);
        }
        assertThat(waited).as("8 reads; 2 at once and 1 a second are allowed").isNotEmpty();
    }

    @Test
    void machinesThatTheApiMayNotBeAskedForAtOnceGoWithLaterOrders() throws ProviderException {
        cloud.limits = new CallLimits(10, 100, 2, 20);
        cloud.terminationsPerRequest = 1;
        var thrifty = clouds();
        assertThat(left(thrifty, 100)).as("a few at a time").isEqualTo(95);
        left(thrifty, 95);
        left(thrifty, 90);
        assertThat(left(thrifty, 85)).as("a burst").isEqualTo(80);
        later(2);
        assertThat(left(thrifty, 80)).as("what is allowed in 2 s").isEqualTo(76);
        assertThat(waited).isEmpty();
        assertThat(left(thrifty, 76)).as("one, that has to wait").isEqualTo(75);
        assertThat(waited).containsExactly("terminate");
    }

    @Test
    void aPoolThatLosesManyMachinesOneByOneGrowsAfterAFewOfThem() throws ProviderException {
        cloud.terminationsPerRequest = 1;
        cloud.targets.put("quick", 21);
        clouds.terminate(QUICK, Collections.nCopies(21, ONE.get(0)));
        answerAll();
        var growth = clouds.grow(QUICK, 16, 17);
        answerAll();

        assertThat(clouds.answer(growth)).isInstanceOf(CallOutcome.Accepted.class);
        assertThat(cloud.targets).containsEntry("quick", 17);
    }

    @Test
    void machinesThatGoWithOneRequestGoTogether() throws ProviderException {
        cloud.limits = new CallLimits(10, 100, 2, 20);
        assertThat(left(clouds(), 100)).isZero();
        cloud.terminationsPerRequest = 3;
        assertThat(left(clouds(), 100)).isEqualTo(85);
    }

    /** Returns how many of these machines are left after a request to terminate them. */
    private int left(Clouds thrifty, int machines) throws ProviderException {
        cloud.targets.put("quick", machines);
        thrifty.terminate(QUICK, Collections.nCopies(machines, ONE.get(0)));
        answerAll();
        return cloud.targets.get("quick");
    }

    @Test
    void aThreadThatDiesLeavesItsPoolFree() {
        cloud.dies = true;
        clouds.read(BOTH);
        assertThatThrownBy(() -> answer(0)).isInstanceOf(AssertionError.class);
        cloud.dies = false;
        later(2);
        clouds.read(BOTH);
        answerAll();
        assertThat(target("slow")).isZero();
    }

    @Test
    void aPoolOfAnotherCloudResourceIsReadAnew() {
        readBoth();
        var moved = pool("quick", "7s");
        assertThat(clouds.read(List.of(moved)).get("quick").state()).isEmpty();
    }

    @Test
    void resourceThatChangesDuringAReadIsNotReadYetAndNotThrottled() {
        var waiting = clouds(Duration.ofSeconds(2), new Pauses() {
            @Override
            public void pause(Duration time) {}

            @Override
            public long await(Condition signal, long nanos) {
                answerAll();
                return 0;
            }
        });
        waiting.read(List.of(QUICK));
        later(20);
        waiting.read(List.of(QUICK));
        assertThat(calls).as("a read of the old resource is in progress").hasSize(1);

        assertThat(waiting.read(List.of(pool("quick", "7s"))).get("quick").problem())
                .contains("transient: the cloud resource has not been read yet");
    }

    @Test
    void aProviderThatThisVersionLacksIsSaidSo() {
        var none = new Clouds(
                Map.of(),
                new CallMeter() {
                    @Override
                    public void called(String provider, String operation, String result, Duration took) {}

                    @Override
                    public void waited(String provider, String operation, Duration wait) {}
                },
                (provider, call) -> call.run(),
                Clouds.Timing.USUAL,
                Clock.systemUTC(),
                () -> nanos,
                pauses::add,
                () -> {});
        assertThat(none.read(List.of(QUICK)).get("quick").problem().orElseThrow())
                .startsWith("invalid-configuration: spec.provider.kwok is not supported");
    }

    private void readBoth() {
        clouds.read(BOTH);
        answerAll();
        news.set(0);
    }

    private int target(String pool) {
        return state(clouds.read(BOTH).get(pool)).target();
    }

    private static PoolState state(PoolReading reading) {
        return reading.state().orElseThrow();
    }

    private void later(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    private void answer(int call) {
        calls.remove(call).run();
    }

    private void answerAll() {
        while (!calls.isEmpty()) {
            answer(0);
        }
    }

    private static ProviderException problem(FailureKind kind) {
        return new ProviderException(kind, "in the cloud's words");
    }

    private static Pool pool(String name) {
        return pool(name, "3s");
    }

    private static Pool pool(String name, String bootDelay) {
        var spec = Objects.spot(1).kwok(new Kwok(null, bootDelay, "2s", "1s")).spec();
        return Catalogue.of(Map.of(name, spec), Map.of()).pools().get(name);
    }
}
