package dev.trainyard.core;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identifier that finds one pod in the logs of the webhook, the extender and the scaler. It is the UID of the admission request that
 * completed the pod, in the annotation {@link Names#ADMISSION}. The pod's own UID is unsuitable: the pod has none yet when the webhook sees
 * it.
 */
public final class AdmissionTraceId {

    /** The form of the API server's UIDs. The webhook cannot have written any other value, and no log contains one. */
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private AdmissionTraceId() {}

    /** Returns the identifier in an annotation's value; empty if it is absent or cannot come from the webhook. */
    public static Optional<String> of(@Nullable String annotation) {
        return Optional.ofNullable(annotation).filter(text -> UUID.matcher(text).matches());
    }
}
