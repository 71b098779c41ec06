package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.CallReport;
import dev.trainyard.extender.report.ReportProblemPublisher;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A check that the scheduler asks the extender about pods. The extender reports missing and late calls by Events. If there are no such
 * Events, every call was made and answered in time, unless no extender runs.
 */
final class CallsCheck implements Check {

    private static final String ABOUT = "calls of the extender";
    private static final Duration LATELY = Duration.ofHours(1);
    private static final int NAMED = 3;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        if (!seen.usesExtender()) {
            return List.of(); // Events of an extender that was removed say nothing about this installation
        }
        return seen.scheduling().events().findings(ABOUT, events -> {
            var complaints = complaints(events, seen.at());
            return complaints.isEmpty() && ExtenderCheck.mayRun(seen)
                    ? List.of(Finding.ok(
                            ABOUT,
                            "in the last hour the extender was asked about every placed pod, and answered in time"))
                    : complaints;
        });
    }

    private static List<Finding> complaints(List<Event> events, Instant now) {
        var recent = events.stream().filter(event -> isRecent(event, now)).toList();
        var findings = new ArrayList<Finding>();
        var unasked = named(recent, CallReport.NOT_ASKED);
        if (!unasked.isEmpty()) {
            findings.add(Finding.error(
                            ABOUT,
                            "in the last hour %s placed pods without asking the extender: %s"
                                    .formatted(Names.SCHEDULER, unasked))
                    .todo(
                            "check that the file of the scheduler's --config names the extender, as manifests/base/extender/scheduler-config.yaml"
                                    + " does; search the scheduler's log for failed calls")
                    .see(TroubleshootingTopic.EXTENDER_NOT_ASKED));
        }
        var late = named(recent, CallReport.TIMEOUT);
        if (!late.isEmpty()) {
            findings.add(Finding.warning(
                            ABOUT,
                            "in the last hour the extender did not answer in time, and %s placed pods without the extender's answer: %s"
                                    .formatted(Names.SCHEDULER, late))
                    .todo("give the extender more CPU, or raise httpTimeout in the scheduler's configuration")
                    .see(TroubleshootingTopic.EXTENDER_TIMEOUT));
        }
        unheard(recent).ifPresent(findings::add);
        return findings;
    }

    /** Returns a warning if the extender cannot report pods to the scaler. The scaler then finds the pods itself, but later. */
    private static Optional<Finding> unheard(List<Event> recent) {
        return recent.stream()
                .filter(event -> ReportProblemPublisher.REASON.equals(event.getReason()))
                .max(Comparator.comparing(CallsCheck::time))
                .map(event -> Finding.warning(
                                "calls of the scaler",
                                "in the last hour the extender's reports did not reach the scaler: " + event.getNote())
                        .todo(
                                "check that --scaler-url of the extender names the scaler's Service, that a scaler leads, "
                                        + "and that the extender and the scaler have the same --tls-secret")
                        .see(TroubleshootingTopic.SCALER_NOT_REACHED));
    }

    /** Whether the Event is recent; true if it has no time. */
    private static boolean isRecent(Event event, Instant now) {
        var time = time(event);
        return time.isEmpty() || !Instant.parse(time).isBefore(now.minus(LATELY));
    }

    private static String time(Event event) {
        return Optional.ofNullable(event.getEventTime()).map(MicroTime::getTime).orElse("");
    }

    private static String named(List<Event> events, String reason) {
        var pods = events.stream()
                .filter(event -> reason.equals(event.getReason()) && event.getRegarding() != null)
                .map(event -> event.getRegarding().getNamespace() + "/"
                        + event.getRegarding().getName())
                .distinct()
                .sorted()
                .toList();
        return Finding.first(NAMED, pods);
    }
}
