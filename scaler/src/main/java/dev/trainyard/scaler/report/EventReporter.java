package dev.trainyard.scaler.report;

import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** A reporter of what happens to an object, for its users. Never fails and never blocks. */
@FunctionalInterface
public interface EventReporter {

    /** Reports an event, like {@link EventRecorder#record}. */
    void tell(HasMetadata about, EventRecorder.Type type, String reason, String action, String message);
}
