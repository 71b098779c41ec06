package dev.trainyard.extender.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.report.UnplacedPod;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReporterTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TestClock clock = new TestClock();
    private final List<UnplacedPod> arrived = new ArrayList<>();

    @Test
    void sendsTheSameNewsOncePerQuietPeriod() {
        var reporter = new Reporter(this::arrives, problem -> {}, clock, registry);
        reporter.report(unplaced("a", Map.of("being removed", 1)));
        clock.advance(Duration.ofMillis(4_999));
        reporter.report(unplaced("a", Map.of("being removed", 1)));
        assertThat(arrived).hasSize(1);

        clock.advance(Duration.ofMillis(1));
        reporter.report(unplaced("a", Map.of("being removed", 1)));
        assertThat(arrived).hasSize(2);
        assertThat(count("sent")).isEqualTo(2);
    }

    @Test
    void tellsPodsAndReasonsApart() {
        var reporter = new Reporter(this::arrives, problem -> {}, clock, registry);
        reporter.report(unplaced("a", Map.of("being removed", 1)));
        reporter.report(unplaced("b", Map.of("being removed", 1)));
        reporter.report(unplaced("a", Map.of("being removed", 2)));

        assertThat(arrived).hasSize(3);
    }

    @Test
    void sendsOneAfterTheOther() {
        var underWay = new ArrayList<Promise<Void>>();
        var reporter = new Reporter(
                pod -> {
                    arrived.add(pod);
                    underWay.add(Promise.promise());
                    return underWay.get(underWay.size() - 1).future();
                },
                problem -> {},
                clock,
                registry);
        reporter.report(unplaced("a", Map.of()));
        reporter.report(unplaced("b", Map.of()));
        assertThat(arrived).extracting(UnplacedPod::uid).containsExactly("a");

        underWay.get(0).complete();
        assertThat(arrived).extracting(UnplacedPod::uid).containsExactly("a", "b");
    }

    @Test
    void dropsReportsWhenTooManyWait() {
        var underWay = new ArrayList<Promise<Void>>();
        var reporter = new Reporter(
                pod -> {
                    underWay.add(Promise.promise());
                    return underWay.get(underWay.size() - 1).future();
                },
                problem -> {},
                clock,
                registry);
        for (int number = 0; number < 1_010; number++) {
            reporter.report(unplaced("pod-" + number, Map.of()));
        }
        assertThat(count("dropped")).isEqualTo(9); // one is in transit, a thousand wait

        for (int number = 0; number < underWay.size(); number++) {
            underWay.get(number).complete();
        }
        assertThat(count("sent")).isEqualTo(1_001);

        reporter.report(unplaced("pod-1005", Map.of())); // dropped before, so it is still news
        underWay.get(1_001).complete();
        assertThat(count("sent")).isEqualTo(1_002);
    }

    @Test
    void goesOnAfterFailuresOfEveryKind() {
        var troubles = new ArrayList<String>();
        var answers = List.<Future<?>>of(Future.failedFuture(new IOException("refused")), Future.succeededFuture());
        var reporter = new Reporter(
                pod -> {
                    arrived.add(pod);
                    if (arrived.size() == 1) {
                        throw new IllegalStateException("cannot even start");
                    }
                    return answers.get(arrived.size() - 2);
                },
                troubles::add,
                clock,
                registry);
        reporter.report(unplaced("a", Map.of()));
        reporter.report(unplaced("b", Map.of()));
        reporter.report(unplaced("c", Map.of()));

        assertThat(count("failed")).isEqualTo(2);
        assertThat(count("sent")).isEqualTo(1);
        assertThat(troubles)
                .containsExactly(
                        "a pod without a node could not be reported to the scaler; the scaler will find the pod later: cannot even start");
    }

    private Future<?> arrives(UnplacedPod pod) {
        arrived.add(pod);
        return Future.succeededFuture();
    }

    private double count(String outcome) {
        return registry.counter("trainyard.extender.reports", "outcome", outcome)
                .count();
    }

    private UnplacedPod unplaced(String uid, Map<String, Integer> reasons) {
        return new UnplacedPod(uid, "default", "pod-" + uid, clock.millis(), reasons);
    }

    private static final class TestClock extends Clock {
        private Instant now = Instant.EPOCH;

        void advance(Duration step) {
            now = now.plus(step);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }
}
