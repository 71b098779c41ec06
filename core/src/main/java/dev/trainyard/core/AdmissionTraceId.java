package dev.trainyard.core;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An identifier of one pod in the logs of the webhook, the extender and the scaler. The identifier is the UID of the admission request for
 * which the webhook changed the pod. The annotation {@link Names#ADMISSION} holds the identifier. The pod's own UID is unsuitable, because
 * the pod has no UID yet when the webhook sees the pod.
 */
public final class AdmissionTraceId {

    /** The form of the UIDs that API servers create. A user can write any other text into the annotation; such text is never logged. */
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private AdmissionTraceId() {}

    /** Returns the value of the annotation as an identifier; empty if the value is absent or does not have the form of a UID. */
    public static Optional<String> of(@Nullable String annotation) {
        return Optional.ofNullable(annotation).filter(text -> UUID.matcher(text).matches());
    }
}
