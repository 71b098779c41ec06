package dev.trainyard.scaler.report;

import java.util.Optional;
import java.util.function.Function;

/**
 * The outputs of a scaler for its users.
 *
 * @param eventReporter reports to the users of an object
 * @param notices reports to people outside the cluster
 * @param refusals the extender's recent reasons for a pod, by UID
 * @param dryRun whether reported actions are not carried out
 */
public record ReportChannels(
        EventReporter eventReporter, Notices notices, Function<String, Optional<String>> refusals, boolean dryRun) {

    /** Returns this voice with a listener that gets each report about an object first. */
    public ReportChannels withListener(EventReporter listener) {
        return new ReportChannels(
                (about, type, reason, action, message) -> {
                    listener.tell(about, type, reason, action, message);
                    eventReporter.tell(about, type, reason, action, message);
                },
                notices,
                refusals,
                dryRun);
    }

    /** Returns the voice of a dry run, which reports to the log only. */
    public static ReportChannels dry() {
        return new ReportChannels(
                (about, type, reason, action, message) -> {}, Notices.NONE, uid -> Optional.empty(), true);
    }
}
