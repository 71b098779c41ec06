package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.UserText;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pod's statement about its gang. The pods of a gang are in one namespace and are useful only together.
 *
 * @param gang the gang's namespace and name; null if the pod states no name
 * @param size how many members the gang has; 0 if unknown
 * @param malformed the error in the pod's statement; empty if the statement is valid
 */
public record GangMark(@Nullable String gang, int size, Optional<String> malformed) {

    /** The largest size that a gang may state. No cluster has so many pods: Kubernetes is tested with at most 150,000. */
    private static final int LARGEST = 1_000_000;

    /**
     * The limit of a gang's name in characters, as for Kubernetes names. Every message about a gang repeats the name, and an annotation may
     * have 256 KiB.
     */
    private static final int LONGEST_NAME = 253;

    /**
     * Returns the gang that the annotations state; empty if they state none. If an annotation is missing, the label of the same name is
     * read instead.
     */
    public static Optional<GangMark> of(ObjectMeta metadata) {
        var name = said(metadata, Names.GANG);
        var size = said(metadata, Names.GANG_SIZE);
        if (name == null && size == null) {
            return Optional.empty();
        }
        if (name == null || name.isBlank()) {
            return Optional.of(malformed(
                    null,
                    "%s is '%s', but %s is missing or empty; expected the name of the gang"
                            .formatted(Names.GANG_SIZE, UserText.shown(String.valueOf(size)), Names.GANG)));
        }
        if (name.strip().length() > LONGEST_NAME) {
            return Optional.of(malformed(
                    null,
                    "%s '%s' is longer than %d characters"
                            .formatted(Names.GANG, UserText.shown(name.strip()), LONGEST_NAME)));
        }
        var gang = metadata.getNamespace() + "/" + UserText.printable(name.strip());
        if (size == null) {
            return Optional.of(malformed(
                    gang, "%s is missing; expected the number of pods of gang %s".formatted(Names.GANG_SIZE, gang)));
        }
        try {
            int members = Integer.parseInt(size.strip());
            if (members >= 1 && members <= LARGEST) {
                return Optional.of(new GangMark(gang, members, Optional.empty()));
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        return Optional.of(malformed(
                gang,
                "%s is '%s'; expected a whole number from 1 to %d, such as 8"
                        .formatted(Names.GANG_SIZE, UserText.shown(size), LARGEST)));
    }

    private static GangMark malformed(@Nullable String gang, String what) {
        return new GangMark(gang, 0, Optional.of(what));
    }

    private static @Nullable String said(ObjectMeta metadata, String name) {
        var annotations = metadata.getAnnotations();
        var annotated = annotations == null ? null : annotations.get(name);
        var labels = metadata.getLabels();
        return annotated != null || labels == null ? annotated : labels.get(name);
    }
}
