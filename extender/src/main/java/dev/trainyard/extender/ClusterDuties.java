package dev.trainyard.extender;

import dev.trainyard.extender.calls.CallReport;
import dev.trainyard.extender.calls.CallWatch;
import dev.trainyard.extender.calls.Heartbeat;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.node.IndexFeed;
import dev.trainyard.extender.node.NodeWatcher;
import dev.trainyard.extender.nudge.LastResortFilter;
import dev.trainyard.extender.nudge.Nudger;
import dev.trainyard.extender.nudge.PodNudge;
import dev.trainyard.extender.nudge.RefusedPods;
import dev.trainyard.extender.pod.PodWatcher;
import dev.trainyard.extender.report.ReportProblemPublisher;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The extender's work in a cluster besides answering calls. The extender nudges refused pods (it patches them, so that the scheduler
 * retries them), renews its Lease, and checks whether the scheduler calls it.
 */
final class ClusterDuties implements AutoCloseable {

    private final RefusedPods waiting;
    private final CallWatch calls;
    private final ReportProblemPublisher trouble;
    private final Clock clock;
    private final List<Runnable> closing;

    private ClusterDuties(
            RefusedPods waiting, CallWatch calls, ReportProblemPublisher trouble, Clock clock, List<Runnable> closing) {
        this.waiting = waiting;
        this.calls = calls;
        this.trouble = trouble;
        this.clock = clock;
        this.closing = closing;
    }

    /** Creates the duties and returns at once. The work starts as soon as the index is complete. The caller closes the client. */
    static ClusterDuties begin(
            KubernetesClient client,
            ExtenderOptions options,
            IndexFeed feed,
            Filter filter,
            MeterRegistry registry,
            Clock clock) {
        var host = hostName();
        var events = new EventRecorder(client, "trainyard-extender", host, clock);
        var waiting = new RefusedPods(new LastResortFilter(filter));
        feed.index().watch((PodWatcher) waiting);
        feed.index().watch((NodeWatcher) waiting);
        var calls = new CallWatch(clock.instant());
        feed.index().watch(calls);
        gauge(calls, registry, clock);
        var nudger = new Nudger(
                waiting, feed::catalogue, feed.index(), new PodNudge(client, clock), System::nanoTime, registry);
        var report = new CallReport(calls, client, options.schedulerLease(), host, events, clock, registry);
        var heartbeat = new Heartbeat(client, Heartbeat.beside(options.schedulerLease()), host, clock);
        var unused = feed.complete().thenRun(() -> {
            heartbeat.start();
            calls.begin();
            nudger.start();
            report.start();
        });
        var trouble = new ReportProblemPublisher(events, Heartbeat.beside(options.schedulerLease()));
        return new ClusterDuties(
                waiting, calls, trouble, clock, List.of(nudger::close, report::close, heartbeat::close, events::close));
    }

    /** Returns the listeners for answers to {@code /filter}. */
    List<AnswerDispatcher.FilterListener> listeners() {
        return List.of(waiting::filtered, (pod, names, verdicts) -> calls.asked(pod.facts(), clock.instant()));
    }

    /**
     * Records that the scheduler gave up waiting for an answer. {@code uid} is the UID of the pod; it is empty if the call could not be
     * read.
     */
    void unanswered(Optional<String> uid) {
        uid.ifPresentOrElse(calls::unanswered, () -> calls.unanswered(clock.instant()));
    }

    /** Returns a consumer of messages about lost reports to the scaler. It publishes each message as an Event. */
    Consumer<String> unheard() {
        return trouble::tell;
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }

    private static void gauge(CallWatch calls, MeterRegistry registry, Clock clock) {
        Gauge.builder(
                        "trainyard.extender.last.call.age.seconds",
                        calls,
                        watch -> watch.sinceLastCall(clock.instant()).toMillis() / 1000.0)
                .baseUnit("seconds")
                .description("Time since the scheduler's last call; since the start if there was no call")
                .register(registry);
    }

    /** Returns the host name. A kube-scheduler in the same pod or on the same machine reads an equal host name. */
    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return localHostName();
        }
    }

    private static String localHostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
