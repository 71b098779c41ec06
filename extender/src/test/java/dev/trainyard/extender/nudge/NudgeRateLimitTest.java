package dev.trainyard.extender.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NudgeRateLimitTest {

    private final NudgeRateLimit pace = new NudgeRateLimit(10_000);

    @Test
    void doublesThePauseOfAPodThatNudgesDoNotHelpUpToAMinute() {
        assertThat(secondsOfNudges("a", 300)).containsExactly(0, 5, 15, 35, 75, 135, 195, 255);
    }

    @Test
    void startsWithTheShortestPauseAgainAfterANudgeThatHelped() {
        assertThat(pace.take("a", seconds(0))).isTrue();
        assertThat(pace.take("a", seconds(5))).isTrue();
        pace.helped("a");

        assertThat(pace.take("a", seconds(9)))
                .as("still no more often than that")
                .isFalse();
        assertThat(pace.take("a", seconds(10))).isTrue();
    }

    @Test
    void letsFiftyPassAtOnceAndTenPerSecondInTheLongRun() {
        assertThat(passed("first-", 100, 0)).isEqualTo(50);
        assertThat(passed("second-", 100, 1)).isEqualTo(10);
        assertThat(passed("third-", 100, 3)).isEqualTo(20);
        assertThat(passed("fourth-", 100, 1_000)).isEqualTo(50);
    }

    @Test
    void doesNotCountWhatIsGivenBack() {
        assertThat(passed("other-", NudgeRateLimit.BURST - 1, 0)).isEqualTo(NudgeRateLimit.BURST - 1);
        assertThat(pace.take("a", seconds(0))).isTrue();
        pace.giveBack("a");
        assertThat(pace.take("a", seconds(0))).isTrue();
        assertThat(pace.take("b", seconds(0))).as("the last of so many").isFalse();

        assertThat(pace.take("a", seconds(5))).isTrue();
        pace.giveBack("a");
        assertThat(pace.take("a", seconds(5))).isTrue();
        assertThat(pace.take("a", seconds(14))).as("doubled once").isFalse();
        assertThat(pace.take("a", seconds(15))).isTrue();
    }

    private List<Integer> secondsOfNudges(String uid, int end) {
        var nudges = new ArrayList<Integer>();
        for (int second = 0; second < end; second++) {
            if (pace.take(uid, seconds(second))) {
                nudges.add(second);
            }
        }
        return nudges;
    }

    private long passed(String prefix, int pods, int second) {
        return IntStream.range(0, pods)
                .filter(number -> pace.take(prefix + number, seconds(second)))
                .count();
    }

    private static long seconds(int number) {
        return Duration.ofSeconds(number).toNanos();
    }
}
