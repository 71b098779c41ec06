package dev.trainyard.extender.report;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;

/** A publisher of Events about reports that the scaler did not get. Each Event is on the Lease that the extender renews. Thread-safe. */
public final class ReportProblemPublisher {

    /** The reason of the Event. */
    public static final String REASON = "ScalerNotReached";

    private final EventRecorder events;
    private final LeaseName lease;

    /** @param events closed by the caller */
    public ReportProblemPublisher(EventRecorder events, LeaseName lease) {
        this.events = events;
        this.lease = lease;
    }

    /**
     * Records an Event about the problem.
     *
     * @param message one sentence, without a full stop
     */
    public void tell(String message) {
        var about = new LeaseBuilder()
                .withNewMetadata()
                .withName(lease.name())
                .withNamespace(lease.namespace())
                .endMetadata()
                .build();
        events.record(
                about,
                EventRecorder.Type.WARNING,
                REASON,
                "Report",
                message + TroubleshootingTopic.SCALER_NOT_REACHED.see());
    }
}
