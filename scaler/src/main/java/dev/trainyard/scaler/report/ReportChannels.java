package dev.trainyard.scaler.report;

import java.util.Optional;
import java.util.function.Function;

/**
 * The outputs of a scaler for its users.
 *
 * @param eventReporter reports to the users of an object
 * @param notices reports to people outside the cluster
 * @param refusals returns, by pod UID, why the scheduler extender recently refused nodes for the pod
 * @param dryRun whether this is a dry run, which carries out none of the reported actions
 */
public record ReportChannels(
        EventReporter eventReporter, Notices notices, Function<String, Optional<String>> refusals, boolean dryRun) {

    /** Returns these channels plus a listener. The listener receives each report about an object first. */
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

    /** Returns the channels of a dry run, which reports only to the log. */
    public static ReportChannels dry() {
        return new ReportChannels(
                (about, type, reason, action, message) -> {}, Notices.NONE, uid -> Optional.empty(), true);
    }
}
