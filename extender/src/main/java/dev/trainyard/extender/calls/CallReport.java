package dev.trainyard.extender.calls;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.CallWatch.Lapse;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.runtime.log.RepetitionFilter;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reporter that publishes the findings of {@link CallWatch} as metrics, log lines and Events on pods. It runs on its own thread. */
public final class CallReport implements AutoCloseable {

    /** The reason of the Event on a pod that was placed without a call to the extender. */
    public static final String NOT_ASKED = "ExtenderNotAsked";

    /** The reason of the Event on a pod that was placed before the extender had answered. */
    public static final String TIMEOUT = "ExtenderTimeout";

    /** The reason of the Event on a pod that no scheduler has tried to place. */
    private static final String NO_SCHEDULER = "NoScheduler";

    private static final Logger log = LoggerFactory.getLogger(CallReport.class);
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    /** The maximum number of Events for one reason in one turn. All pods have the same cause, so a few Events show it. */
    private static final int EVENTS = 5;

    private static final int NAMED = 3;

    private final CallWatch watch;
    private final KubernetesClient client;
    private final LeaseName lease;
    private final String hostName;
    private final EventRecorder events;
    private final Clock clock;
    private final Counter unasked;
    private final Counter unanswered;
    private final AtomicInteger withoutScheduler = new AtomicInteger();
    private final RepetitionFilter problems = new RepetitionFilter();
    private @Nullable Instant warnedUnasked;
    private @Nullable Instant warnedUnanswered;
    private @Nullable Instant warnedWithoutScheduler;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var daemon = new Thread(task, "calls");
        daemon.setDaemon(true);
        return daemon;
    });

    /**
     * Creates a reporter, which does nothing before {@link #start}.
     *
     * @param hostName the host name, which the scheduler beside us has too
     * @param events closed by the caller
     */
    public CallReport(
            CallWatch watch,
            KubernetesClient client,
            LeaseName lease,
            String hostName,
            EventRecorder events,
            Clock clock,
            MeterRegistry registry) {
        this.watch = watch;
        this.client = client;
        this.lease = lease;
        this.hostName = hostName;
        this.events = events;
        this.clock = clock;
        unasked = Counter.builder("trainyard.extender.pods.placed.unasked")
                .description("Pods that trainyard-scheduler placed without a call to the extender")
                .register(registry);
        unanswered = Counter.builder("trainyard.extender.pods.placed.unanswered")
                .description("Pods that trainyard-scheduler placed before the extender answered")
                .register(registry);
        Gauge.builder("trainyard.extender.pods.without.scheduler", withoutScheduler, AtomicInteger::get)
                .description(
                        "Pods for trainyard-scheduler that are older than a minute and that no scheduler has tried to place")
                .register(registry);
    }

    public void start() {
        var unused = thread.scheduleWithFixedDelay(this::turn, TURN.toMillis(), TURN.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void turn() {
        try {
            var now = clock.instant();
            var orphans = watch.withoutScheduler(now);
            withoutScheduler.set(orphans.size());
            if (!orphans.isEmpty()) {
                reportOrphans(orphans, now);
            }
            var placed = watch.placedWithoutUs(now);
            if (!placed.isEmpty()) {
                leader(now)
                        .ifPresent(leader -> reportPlaced(
                                placed.stream()
                                        .filter(pod -> leader.isOursAt(pod.seenAt()))
                                        .toList(),
                                now));
            }
        } catch (RuntimeException e) { // an exception would cancel all later turns
            log.warn("the check of the scheduler's calls to the extender failed", e);
        }
    }

    private void reportPlaced(List<CallWatch.Placed> placed, Instant now) {
        var pods = placed.stream()
                .collect(Collectors.groupingBy(
                        CallWatch.Placed::why, Collectors.mapping(CallWatch.Placed::pod, Collectors.toList())));
        Optional.ofNullable(pods.get(Lapse.NOT_ASKED)).ifPresent(found -> reportUnasked(found, now));
        Optional.ofNullable(pods.get(Lapse.NOT_ANSWERED)).ifPresent(found -> reportUnanswered(found, now));
    }

    private void reportUnanswered(List<PodFacts> pods, Instant now) {
        unanswered.increment(pods.size());
        if (isDue(warnedUnanswered, now)) {
            warnedUnanswered = now;
            log.warn(
                    "{} placed pods before the extender answered: {}; give the extender more CPU, or raise httpTimeout in"
                            + " the scheduler's configuration{}",
                    Names.SCHEDULER,
                    named(pods),
                    TroubleshootingTopic.EXTENDER_TIMEOUT.see());
        }
        tell(pods, TIMEOUT, """
                the extender did not answer in time, so %s ignored the order of the tier's pools; if this happens often, \
                give the extender more CPU, or raise httpTimeout in the scheduler's configuration%s""".formatted(Names.SCHEDULER, TroubleshootingTopic.EXTENDER_TIMEOUT.see()));
    }

    private void reportUnasked(List<PodFacts> pods, Instant now) {
        unasked.increment(pods.size());
        if (isDue(warnedUnasked, now)) {
            warnedUnasked = now;
            log.warn(
                    "{} placed pods without a call to the extender: {}; check that the scheduler's --config names the extender,"
                            + " as in manifests/base/extender/scheduler-config.yaml, and check the scheduler's log for failed calls{}",
                    Names.SCHEDULER,
                    named(pods),
                    TroubleshootingTopic.EXTENDER_NOT_ASKED.see());
        }
        tell(pods, NOT_ASKED, """
                %s placed this pod without a call to the extender, and ignored the order of the tier's pools; check the \
                scheduler's --config against manifests/base/extender/scheduler-config.yaml%s""".formatted(Names.SCHEDULER, TroubleshootingTopic.EXTENDER_NOT_ASKED.see()));
    }

    private void reportOrphans(List<PodFacts> pods, Instant now) {
        if (isDue(warnedWithoutScheduler, now)) {
            warnedWithoutScheduler = now;
            log.warn(
                    "no scheduler tries to place pods with schedulerName {}: {}; start a kube-scheduler whose --config has a"
                            + " profile of that name, as in manifests/base/extender/scheduler-config.yaml{}",
                    Names.SCHEDULER,
                    named(pods),
                    TroubleshootingTopic.NO_SCHEDULER.see());
        }
        tell(pods, NO_SCHEDULER, """
                no scheduler named %s has tried to place this pod for more than a minute; check that the scheduler runs, and compare \
                its --config with manifests/base/extender/scheduler-config.yaml%s""".formatted(Names.SCHEDULER, TroubleshootingTopic.NO_SCHEDULER.see()));
    }

    private void tell(List<PodFacts> pods, String reason, String message) {
        pods.stream().limit(EVENTS).forEach(pod -> tell(pod, reason, message));
    }

    private void tell(PodFacts pod, String reason, String message) {
        var about = new PodBuilder()
                .withNewMetadata()
                .withName(pod.name())
                .withNamespace(pod.namespace())
                .withUid(pod.uid())
                .endMetadata()
                .build();
        events.record(about, EventRecorder.Type.WARNING, reason, "Watch", message);
    }

    /** Returns the scheduler that places pods. Empty if the scheduler's Lease cannot be read; placed pods are not reported in this case. */
    private Optional<Leader> leader(Instant now) {
        try {
            var found = client.leases()
                    .inNamespace(lease.namespace())
                    .withName(lease.name())
                    .get();
            return Optional.of(Leader.of(found, hostName, now));
        } catch (KubernetesClientException e) {
            if (problems.isNew(e.getCode() + " " + e.getClass().getName())) {
                log.warn(
                        "it is unknown which scheduler places pods, because Lease {} cannot be read: {}",
                        lease,
                        String.valueOf(e.getMessage()));
            }
            return Optional.empty();
        }
    }

    private static boolean isDue(@Nullable Instant last, Instant now) {
        return last == null || !last.plus(BETWEEN_WARNINGS).isAfter(now);
    }

    private static String named(List<PodFacts> pods) {
        return pods.stream()
                .limit(NAMED)
                .map(pod -> pod.namespace() + "/" + pod.name())
                .collect(Collectors.joining(", ", pods.size() + " in all (", pods.size() > NAMED ? ", ...)" : ")"));
    }
}
