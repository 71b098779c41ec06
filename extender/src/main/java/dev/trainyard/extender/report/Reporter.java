package dev.trainyard.extender.report;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.report.UnplacedPod;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sender of reports to the scaler about pods that were left without a node. It never blocks the caller and never throws. Reports wait in
 * a bounded queue, are sent one at a time, and are dropped if the queue is full. A lost report does no harm, because the scaler watches the
 * pods too. Thread-safe.
 *
 * <p>An attempt is one call of the scheduler about a pod, and causes at most one report. The scheduler tries a pod repeatedly. Attempts on
 * one pod with the same number of refused nodes for each reason cause one report in 5 s. An attempt with other reasons or numbers is
 * reported at once.
 */
public final class Reporter {

    private static final Logger log = LoggerFactory.getLogger(Reporter.class);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    private static final int QUEUED = 1_000;
    private static final int REMEMBERED = 10_000;

    /** The data by which attempts are compared. Attempts with equal data cause one report. */
    private record News(String uid, Map<String, Integer> reasons) {}

    private final Function<UnplacedPod, Future<?>> sender;
    private final Consumer<String> trouble;
    private final Clock clock;
    private final Counter sent;
    private final Counter failed;
    private final Counter dropped;
    private final Queue<UnplacedPod> waiting = new ArrayDeque<>();
    private final Map<News, Long> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<News, Long> eldest) {
            return size() > REMEMBERED;
        }
    };
    private boolean sending;
    private @Nullable Long warnedAt;

    /**
     * @param sender starts to send one report; the future fails if the scaler did not accept the report
     * @param trouble receives each logged warning about lost reports
     */
    public Reporter(
            Function<UnplacedPod, Future<?>> sender, Consumer<String> trouble, Clock clock, MeterRegistry registry) {
        this.sender = sender;
        this.trouble = trouble;
        this.clock = clock;
        this.sent = counter(registry, "sent");
        this.failed = counter(registry, "failed");
        this.dropped = counter(registry, "dropped");
    }

    public void report(UnplacedPod pod) {
        synchronized (this) {
            if (!isNews(pod)) {
                return;
            }
            if (waiting.size() >= QUEUED) {
                dropped.increment();
                said.remove(newsOf(pod));
                warn("too many reports wait for the scaler; further reports are dropped");
                return;
            }
            waiting.add(pod);
        }
        sendNext();
    }

    private void sendNext() {
        UnplacedPod next;
        synchronized (this) {
            next = sending ? null : waiting.poll();
            if (next == null) {
                return;
            }
            sending = true;
        }
        start(next).onComplete(result -> {
            finished(result.succeeded() ? null : result.cause());
            sendNext();
        });
    }

    private Future<?> start(UnplacedPod pod) {
        try {
            return sender.apply(pod);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private synchronized void finished(@Nullable Throwable problem) {
        sending = false;
        if (problem == null) {
            sent.increment();
        } else {
            failed.increment();
            warn("a pod without a node could not be reported to the scaler; the scaler will find the pod later: "
                    + problem.getMessage());
        }
    }

    private static News newsOf(UnplacedPod pod) {
        return new News(pod.uid(), pod.reasons());
    }

    private boolean isNews(UnplacedPod pod) {
        var news = newsOf(pod);
        long now = clock.millis();
        var before = said.get(news);
        if (before != null && now - before < QUIET.toMillis()) {
            return false;
        }
        said.remove(news);
        said.put(news, now);
        return true;
    }

    /** Warns at most once a minute, because the scaler may be unavailable for long while pods wait. */
    private void warn(String message) {
        long now = clock.millis();
        if (warnedAt == null || now - warnedAt >= BETWEEN_WARNINGS.toMillis()) {
            warnedAt = now;
            log.warn("{}{}", message, TroubleshootingTopic.SCALER_NOT_REACHED.see());
            trouble.accept(message);
        }
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("trainyard.extender.reports")
                .description("Reports to the scaler about pods left without a node, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }
}
