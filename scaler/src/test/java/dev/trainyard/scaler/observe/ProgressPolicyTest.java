package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Durations;
import dev.trainyard.scaler.observe.ProgressPolicy.Choice;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A training of 10 hours with 20 hours of time. A launch takes up to 20 minutes, and a restart costs 10, so two changeovers are an hour. */
class ProgressPolicyTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        // At 4:00 the line is at 2 hours of work.
        "PT4H, PT0S, ANY_POOL",
        "PT4H, PT1H59M, ANY_POOL",
        "PT4H, PT2H, ANY_POOL",
        "PT4H, PT2H1M, SPOT_ONLY",
        "PT0S, PT0S, ANY_POOL",
        // With 6 hours done, the last moment is 20 h - 4 h - 1 h = 15:00, and the line is there at 12:00.
        "PT11H59M, PT6H, SPOT_ONLY",
        "PT12H, PT6H, ANY_POOL",
        "PT14H59M59S, PT6H, ANY_POOL",
        "PT15H, PT6H, ON_DEMAND_FIRST",
        "PT19H59M59S, PT6H, ON_DEMAND_FIRST",
        "PT20H, PT6H, ANY_POOL",
        "PT30H, PT6H, ANY_POOL",
        // Nearly done: the last moment comes before the line.
        "PT18H59M, PT9H55M, ON_DEMAND_FIRST",
        "PT18H54M, PT9H55M, SPOT_ONLY",
    })
    void choosesByProgressAndTime(Duration passed, Duration done, Choice choice) {
        assertThat(idle(done).choose(START.plus(passed))).isEqualTo(choice);
    }

    @Test
    void changesAtTheLineAndAtTheLastMoment() {
        var policy = idle(Duration.ofHours(6));

        assertThat(policy.nextChange(at("PT1H"))).contains(at("PT12H"));
        assertThat(policy.waitsUntil(at("PT1H"))).contains(at("PT12H"));
        assertThat(policy.nextChange(at("PT12H"))).contains(at("PT15H"));
        assertThat(policy.waitsUntil(at("PT12H"))).isEmpty();
        assertThat(policy.nextChange(at("PT15H"))).contains(at("PT20H"));
        assertThat(policy.nextChange(at("PT20H"))).isEmpty();
    }

    @Test
    void waitEndsAtTheLastMomentIfThatIsEarlier() {
        assertThat(idle(Duration.ofMinutes(595)).waitsUntil(at("PT1H"))).contains(at("PT18H55M"));
    }

    @ParameterizedTest
    @CsvSource({
        // At 4:00, the line reaches 2 hours and a half after two changeovers.
        "PT4H, PT2H29M, false",
        "PT4H, PT2H30M, true",
        "PT14H, PT9H, true",
        "PT18H59M, PT9H30M, false",
    })
    void returnsToSpotIfAheadByTwoChangeovers(Duration passed, Duration done, boolean may) {
        var policy = running(done, START.plus(passed));

        assertThat(policy.mayReturnToSpot(START.plus(passed))).isEqualTo(may);
    }

    @Test
    void isNotMovedOnceTheTimeLeftIsShort() {
        var policy = running(Duration.ofHours(4), at("PT10H"));

        // While the training runs, the slack stays: 20 h - 10 h - 6 h = 4 h.
        assertThat(policy.mayMove(at("PT10H"))).isTrue();
        assertThat(policy.mayMove(at("PT15H"))).isTrue();
        assertThat(running(Duration.ofHours(4), at("PT13H")).mayMove(at("PT13H")))
                .isFalse();
    }

    @Test
    void isMovedLikeOthersAfterTheDeadline() {
        var policy = running(Duration.ofHours(4), at("PT18H"));

        assertThat(policy.mayMove(at("PT19H59M"))).isFalse();
        assertThat(policy.mayReturnToSpot(at("PT19H59M"))).isFalse();
        assertThat(policy.mayMove(at("PT20H"))).isTrue();
        assertThat(policy.mayReturnToSpot(at("PT20H"))).isTrue();
    }

    @Test
    void anInterruptionCostsTheRestartButNoProgressOfEarlierPods() {
        var policy = running(Duration.ofHours(3), at("PT5H"));

        assertThat(policy.progress(at("PT6H"))).isEqualTo(Duration.ofHours(4));
        assertThat(policy.progressAfterInterruption(at("PT6H"))).isEqualTo(Duration.ofMinutes(230));
        assertThat(policy.progressAfterInterruption(at("PT5H4M"))).isEqualTo(Duration.ofHours(3));
        assertThat(policy.progress(at("PT4H"))).as("a clock that went back").isEqualTo(Duration.ofHours(3));
        assertThat(policy.progress(at("PT30H"))).isEqualTo(Duration.ofHours(10));
    }

    @Test
    void withoutWorkOnlyTheEndOfTheTimeCounts() {
        var policy = new ProgressPolicy(
                new TrainingDeadline(at("PT20H"), Optional.empty(), Duration.ofMinutes(10)),
                START,
                Duration.ZERO,
                Optional.empty(),
                Duration.ofMinutes(20));

        assertThat(policy.choose(at("PT18H59M"))).isEqualTo(Choice.ANY_POOL);
        assertThat(policy.mayReturnToSpot(at("PT18H59M"))).isTrue();
        assertThat(policy.nextChange(at("PT1H"))).contains(at("PT19H"));
        assertThat(policy.choose(at("PT19H"))).isEqualTo(Choice.ON_DEMAND_FIRST);
        assertThat(policy.mayReturnToSpot(at("PT19H"))).isFalse();
    }

    @Test
    void aDeadlineBeforeTheStartHasNoEffect() {
        var policy = new ProgressPolicy(
                stated(Duration.ofHours(1), START.minusSeconds(60)),
                START,
                Duration.ZERO,
                Optional.empty(),
                Duration.ofMinutes(20));

        assertThat(policy.choose(START)).isEqualTo(Choice.ANY_POOL);
        assertThat(policy.nextChange(START)).isEmpty();
        assertThat(policy.mayMove(START)).isTrue();
    }

    /**
     * The real training, which the policy does not see. A run makes progress only after {@code startup}, and an interruption loses everything
     * since the last checkpoint. Both together are at most the restart cost. The stated work includes one start.
     */
    private static final class Training {
        private final Random random;
        private final Duration restartCost;
        private final Duration startup;
        private Duration left;

        Training(Random random, Duration work, Duration restartCost) {
            this.random = random;
            this.restartCost = restartCost;
            this.startup = Durations.min(work, minutes(random.nextInt((int) restartCost.toMinutes() + 1)));
            this.left = work;
        }

        /** Returns how long a run takes that is not interrupted. */
        Duration left() {
            return left;
        }

        void interruptedAfter(Duration ran) {
            var lost = minutes(random.nextInt((int) restartCost.minus(startup).toMinutes() + 1));
            var kept = ran.minus(startup).minus(lost);
            left = left.minus(kept.isNegative() ? Duration.ZERO : kept);
        }
    }

    @Test
    void neverMissesTheDeadlineWhateverTheCloudDoes() {
        int onSpotOnly = 0;
        int onBoth = 0;
        for (int seed = 0; seed < 4_000; seed++) {
            var random = new Random(seed);
            var work = minutes(30 + random.nextInt(3000));
            var restartCost = minutes(1 + random.nextInt(40));
            var launch = minutes(1 + random.nextInt(30));
            var deadline = START.plus(work).plus(launch).plus(minutes(random.nextInt(2000)));
            var training = new Training(random, work, restartCost);
            double spotShare = random.nextDouble();
            int spotLasts = 1 + random.nextInt(600);
            var now = START;
            var saved = Duration.ZERO;
            boolean spot = false;
            boolean onDemand = false;
            while (true) {
                var idle = new ProgressPolicy(
                        new TrainingDeadline(deadline, Optional.of(work), restartCost),
                        START,
                        saved,
                        Optional.empty(),
                        launch);
                var choice = idle.choose(now);
                boolean spotAnswers = choice != Choice.ON_DEMAND_FIRST && random.nextDouble() < spotShare;
                if (spotAnswers) {
                    var took = minutes(random.nextInt((int) launch.toMinutes() + 1));
                    now = now.plus(took);
                    if (random.nextInt(4) == 0) {
                        continue; // the machine never became usable
                    }
                    spot = true;
                    var runs = minutes(random.nextInt(2 * spotLasts));
                    if (training.left().compareTo(runs) <= 0) {
                        now = now.plus(training.left());
                        break;
                    }
                    var run = new ProgressPolicy(idle.stated(), START, saved, Optional.of(now), launch);
                    now = now.plus(runs);
                    training.interruptedAfter(runs);
                    saved = run.progressAfterInterruption(now);
                } else if (choice == Choice.SPOT_ONLY) {
                    now = idle.nextChange(now).orElseThrow();
                } else {
                    now = now.plus(minutes(random.nextInt((int) launch.toMinutes() + 1)));
                    onDemand = true;
                    var run = new ProgressPolicy(idle.stated(), START, saved, Optional.of(now), launch);
                    var end = now.plus(training.left());
                    // Looks every minute whether the training may return to a spot machine, which is launched first.
                    while (now.isBefore(end) && !(run.mayReturnToSpot(now) && random.nextDouble() < spotShare)) {
                        now = now.plus(minutes(1));
                    }
                    if (!now.isBefore(end)) {
                        now = end;
                        break;
                    }
                    training.interruptedAfter(
                            Duration.between(run.runningSince().orElseThrow(), now));
                    saved = run.progressAfterInterruption(now);
                    spot = true;
                    var returned = new ProgressPolicy(idle.stated(), START, saved, Optional.of(now), launch);
                    var runs = minutes(random.nextInt(2 * spotLasts));
                    if (training.left().compareTo(runs) <= 0) {
                        now = now.plus(training.left());
                        break;
                    }
                    now = now.plus(runs);
                    training.interruptedAfter(runs);
                    saved = returned.progressAfterInterruption(now);
                }
            }
            assertThat(now).as("end with seed %d", seed).isBeforeOrEqualTo(deadline);
            onSpotOnly += spot && !onDemand ? 1 : 0;
            onBoth += spot && onDemand ? 1 : 0;
        }
        assertThat(onSpotOnly).isGreaterThan(400);
        assertThat(onBoth).isGreaterThan(400);
    }

    private static Duration minutes(int minutes) {
        return Duration.ofMinutes(minutes);
    }

    private static Instant at(String passed) {
        return START.plus(Duration.parse(passed));
    }

    private static TrainingDeadline stated(Duration work, Instant deadline) {
        return new TrainingDeadline(deadline, Optional.of(work), Duration.ofMinutes(10));
    }

    private static ProgressPolicy idle(Duration done) {
        return policy(done, Optional.empty());
    }

    private static ProgressPolicy running(Duration done, Instant since) {
        return policy(done, Optional.of(since));
    }

    private static ProgressPolicy policy(Duration done, Optional<Instant> since) {
        return new ProgressPolicy(
                stated(Duration.ofHours(10), at("PT20H")), START, done, since, Duration.ofMinutes(20));
    }
}
