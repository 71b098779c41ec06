package dev.trainyard.scaler.report;

import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** A reporter that informs the users of an object about what happens to the object. Never fails and never blocks. */
@FunctionalInterface
public interface EventReporter {

    /** Reports an event, like {@link EventRecorder#record}. */
    void tell(HasMetadata about, EventRecorder.Type type, String reason, String action, String message);
}
