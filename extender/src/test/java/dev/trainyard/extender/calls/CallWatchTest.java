package dev.trainyard.extender.calls;

import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.pod.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallWatchTest {

    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private final CallWatch watch = new CallWatch(now);

    @Test
    void findsAPodThatGotANodeWithoutOurHavingBeenAsked() {
        watch.begin();
        watch.seen(facts(pod("a", 1, 1)));
        watch.seen(facts(on("node", pod("a", 1, 1))));

        assertThat(placedUnasked()).as("the call may only be late").isEmpty();
        pass(CallWatch.GRACE);
        assertThat(placedUnasked()).containsExactly("a");
        assertThat(placedUnasked()).as("once").isEmpty();
    }

    @Test
    void findsNothingWhereWeWereAskedBeforeOrABitAfter() {
        watch.begin();
        for (var name : List.of("before", "after")) {
            watch.seen(facts(pod(name, 1, 1)));
        }
        watch.asked(facts(pod("before", 1, 1)), now);
        for (var name : List.of("before", "after")) {
            watch.seen(facts(on("node", pod(name, 1, 1))));
        }
        assertThat(placedUnasked()).isEmpty();
        watch.asked(facts(pod("after", 1, 1)), now);

        pass(CallWatch.GRACE);
        assertThat(placedUnasked()).isEmpty();
    }

    @Test
    void tellsACallWithoutAnAnswerFromNoCall() {
        watch.begin();
        for (var name : List.of("late", "later-answered", "unasked")) {
            watch.seen(facts(pod(name, 1, 1)));
            if (!name.equals("unasked")) {
                watch.asked(facts(pod(name, 1, 1)), now);
                watch.unanswered(facts(pod(name, 1, 1)).uid());
            }
        }
        watch.asked(facts(pod("later-answered", 1, 1)), now);
        for (var name : List.of("late", "later-answered", "unasked")) {
            watch.seen(facts(on("node", pod(name, 1, 1))));
        }
        assertThat(placedUnasked()).isEmpty();

        pass(CallWatch.GRACE);
        assertThat(lapses()).containsExactly("late NOT_ANSWERED", "unasked NOT_ASKED");
    }

    @Test
    void aConnectionThatTheSchedulerBrokeOffIsACallWithoutAnAnswer() {
        watch.begin();
        watch.unanswered(now);
        for (var name : List.of("near", "long-after")) {
            watch.seen(facts(pod(name, 1, 1)));
            watch.seen(facts(on("node", pod(name, 1, 1))));
            placedUnasked();
            pass(CallWatch.GRACE);
            assertThat(lapses()).containsExactly(name.equals("near") ? "near NOT_ANSWERED" : "long-after NOT_ASKED");
            pass(CallWatch.NEAR);
        }
    }

    @Test
    void findsNothingAboutPodsThatACallMayHaveEscapedUsFor() {
        watch.seen(facts(pod("older-than-us", 1, 1)));
        watch.begin();
        watch.seen(facts(on("node", pod("older-than-us", 1, 1))));
        watch.seen(facts(on("node", pod("made-on-its-node", 1, 1))));
        watch.seen(facts(ofOther(pod("of-another-scheduler", 1, 1))));
        watch.seen(facts(on("node", ofOther(pod("of-another-scheduler", 1, 1)))));
        watch.seen(facts(pod("deleted", 1, 1)));
        watch.gone(facts(pod("deleted", 1, 1)));

        assertThat(placedUnasked()).isEmpty();
        pass(CallWatch.GRACE);
        assertThat(placedUnasked()).isEmpty();
    }

    @Test
    void findsNothingAboutAnAskedPodThatIsGoneSoonAfterItsPlacement() {
        watch.begin();
        watch.seen(facts(pod("short", 1, 1)));
        watch.asked(facts(pod("short", 1, 1)), now);
        watch.seen(facts(on("node", pod("short", 1, 1))));
        watch.gone(facts(on("node", pod("short", 1, 1))));

        assertThat(placedUnasked()).isEmpty();
        pass(CallWatch.GRACE);
        assertThat(placedUnasked()).isEmpty();
    }

    @Test
    void findsAPodThatNoSchedulerHasLookedAtForAMinute() {
        watch.begin();
        watch.seen(facts(created(pod("a", 1, 1))));
        watch.seen(facts(judged(created(pod("refused-in-tree", 1, 1)))));

        pass(CallWatch.TIMEOUT.minusSeconds(1));
        assertThat(withoutScheduler()).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(withoutScheduler()).containsExactly("a");
        watch.seen(facts(judged(created(pod("a", 1, 1)))));
        assertThat(withoutScheduler()).isEmpty();
    }

    @Test
    void doesNotTakeASchedulerThatHasMuchToDoForNone() {
        watch.begin();
        watch.seen(facts(created(pod("a", 1, 1))));
        watch.seen(facts(pod("b", 1, 1)));
        pass(CallWatch.TIMEOUT);
        watch.seen(facts(judged(pod("b", 1, 1))));
        assertThat(withoutScheduler()).as("it has looked at b just now").isEmpty();

        pass(CallWatch.TIMEOUT);
        assertThat(withoutScheduler()).containsExactly("a");
        watch.asked(facts(pod("c", 1, 1)), now);
        assertThat(withoutScheduler()).as("it has asked just now").isEmpty();
    }

    @Test
    void tellsForHowLongItWasNotAsked() {
        pass(Duration.ofSeconds(7));
        assertThat(watch.sinceLastCall(now)).isEqualTo(Duration.ofSeconds(7));
        watch.asked(facts(pod("a", 1, 1)), now);
        assertThat(watch.sinceLastCall(now)).isZero();
    }

    private List<String> placedUnasked() {
        return watch.placedWithoutUs(now).stream()
                .map(placed -> placed.pod().name())
                .toList();
    }

    private List<String> lapses() {
        return watch.placedWithoutUs(now).stream()
                .map(placed -> placed.pod().name() + " " + placed.why())
                .toList();
    }

    private List<String> withoutScheduler() {
        return watch.withoutScheduler(now).stream().map(PodFacts::name).toList();
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private static PodFacts facts(Pod pod) {
        return PodFacts.of(pod);
    }

    private Pod created(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .withCreationTimestamp("2026-03-01T12:00:00Z")
                .endMetadata()
                .build();
    }

    private static Pod judged(Pod pod) {
        return new PodBuilder(pod)
                .editOrNewStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .endCondition()
                .endStatus()
                .build();
    }

    private static Pod ofOther(Pod pod) {
        return new PodBuilder(pod)
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build();
    }
}
