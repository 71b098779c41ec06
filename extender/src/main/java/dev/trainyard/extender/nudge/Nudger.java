package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.PodFacts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that nudges the pods that {@link RefusedPods} selects. A nudge is a patch that makes the scheduler retry a pod. */
public final class Nudger implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Nudger.class);
    private static final Duration TURN = Duration.ofMillis(250);

    private final RefusedPods waiting;
    private final Supplier<Catalogue> catalogue;
    private final NodeIndex index;
    private final PodNudge nudge;
    private final LongSupplier nanoTime;
    private final Counter sent;
    private final Counter failed;
    private final Counter suppressed;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var daemon = new Thread(task, "nudges");
        daemon.setDaemon(true);
        return daemon;
    });

    /** Creates a nudger, which does nothing before {@link #start}. */
    public Nudger(
            RefusedPods waiting,
            Supplier<Catalogue> catalogue,
            NodeIndex index,
            PodNudge nudge,
            LongSupplier nanoTime,
            MeterRegistry registry) {
        this.waiting = waiting;
        this.catalogue = catalogue;
        this.index = index;
        this.nudge = nudge;
        this.nanoTime = nanoTime;
        this.sent = counter(registry, "sent");
        this.failed = counter(registry, "failed");
        this.suppressed = counter(registry, "suppressed");
        Gauge.builder("trainyard.extender.waiting.pods", waiting, RefusedPods::size)
                .description("Pods that the extender left without a node, and that have none yet")
                .register(registry);
    }

    public void start() {
        var unused = thread.scheduleWithFixedDelay(this::turn, TURN.toMillis(), TURN.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** Nudges the pods that are due now. Called by the thread and by tests. */
    void turn() {
        try {
            var due = waiting.due(nanoTime.getAsLong(), catalogue.get(), index);
            suppressed.increment(due.suppressed());
            nudge(due.pods());
        } catch (RuntimeException e) { // an exception would cancel all later turns
            log.warn("failed to make the scheduler retry pods that have no node", e);
        }
    }

    /** Nudges pods. If the API server does not answer, the remaining pods are left for later, because each attempt would take long. */
    private void nudge(List<PodFacts> pods) {
        var failures = new ArrayList<PodFacts>();
        boolean works = true;
        for (var pod : pods) {
            if (!works || thread.isShutdown()) {
                waiting.untried(pod);
                continue;
            }
            var outcome = nudge.send(pod);
            count(outcome, pod);
            works = outcome != PodNudge.Outcome.NO_SERVER;
            if (outcome == PodNudge.Outcome.FAILED || !works) {
                failures.add(pod);
            }
        }
        failures.forEach(waiting::failed); // queued behind the pods that were not tried
    }

    private void count(PodNudge.Outcome outcome, PodFacts pod) {
        switch (outcome) {
            case SENT -> {
                sent.increment();
                log.debug("patched pod {}/{}, so that the scheduler retries the pod", pod.namespace(), pod.name());
            }
            case GONE -> waiting.gone(pod);
            case FAILED, NO_SERVER -> failed.increment();
        }
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("trainyard.extender.nudges")
                .description("Attempts to make the scheduler retry a pod: sent, failed, or suppressed by a rate limit")
                .tag("outcome", outcome)
                .register(registry);
    }
}
