package dev.trainyard.scaler;

import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** Tells users what happens to an object. Never fails and never waits. */
@FunctionalInterface
public interface Herald {

    /** As {@link EventRecorder#record}. */
    void tell(HasMetadata about, EventRecorder.Type type, String reason, String action, String message);
}
