package dev.trainyard.extender.report;

import dev.trainyard.core.Trap;
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
 * Tells the scaler of pods that were left without a node. Never waits and never fails the caller: reports stand in a bounded queue
 * from which one at a time is sent, and are dropped when it is full. A lost report does no harm, since the scaler watches the pods
 * themselves as well. Thread-safe.
 *
 * <p>An attempt is one call of the scheduler about a pod, and there is at most one report of it. The scheduler tries a pod again and
 * again: attempts on one pod, by UID, that fail for the same reasons within a quiet period are the same news, which is sent once. Other
 * reasons are other news, and sent at once.
 */
public final class Reporter {

    private static final Logger log = LoggerFactory.getLogger(Reporter.class);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    private static final int QUEUED = 1_000;
    private static final int REMEMBERED = 10_000;

    /** What attempts that are not told apart have in common. */
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
     * @param sender starts to send one report; its future fails when the scaler did not take it
     * @param trouble told what is logged of reports that did not get there
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
                warn("too many reports wait for the scaler; further ones are dropped");
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
            warn("the scaler was not told of a pod without a node, and will find it by itself: "
                    + problem.getMessage());
        }
    }

    private boolean isNews(UnplacedPod pod) {
        var news = new News(pod.uid(), pod.reasons());
        long now = clock.millis();
        var before = said.get(news);
        if (before != null && now - before < QUIET.toMillis()) {
            return false;
        }
        said.remove(news);
        said.put(news, now);
        return true;
    }

    /** The scaler may be away for long while pods wait; saying so once a minute is enough. */
    private void warn(String message) {
        long now = clock.millis();
        if (warnedAt == null || now - warnedAt >= BETWEEN_WARNINGS.toMillis()) {
            warnedAt = now;
            log.warn("{}{}", message, Trap.SCALER_NOT_REACHED.see());
            trouble.accept(message);
        }
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("trainyard.extender.reports")
                .description("Reports to the scaler of pods left without a node")
                .tag("outcome", outcome)
                .register(registry);
    }
}
