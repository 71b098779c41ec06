package dev.trainyard.core;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The word by which one pod is found in the logs of the webhook, the extender and the scaler: the UID of the admission request that completed it,
 * in its annotation {@link Names#ADMISSION}. The pod's own UID will not do: it has none yet when the webhook sees it.
 */
public final class Trace {

    /** As the API server makes them. Whatever else stands there is of somebody else, and in no log. */
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private Trace() {}

    /** What the annotation says; empty when it is absent or nothing that the webhook could have left. */
    public static Optional<String> of(@Nullable String annotation) {
        return Optional.ofNullable(annotation).filter(text -> UUID.matcher(text).matches());
    }
}
