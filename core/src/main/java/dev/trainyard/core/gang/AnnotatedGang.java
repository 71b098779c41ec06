package dev.trainyard.core.gang;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The gang that a pod states by Trainyard's annotations. If an annotation is missing, the label of the same name is read instead. A pod of a
 * Job may leave out the size: the gang is then all pods that the Job runs in parallel.
 */
final class AnnotatedGang {

    /**
     * The limit of a gang's name in characters, as for Kubernetes names. Every message about a gang repeats the name, and an annotation may
     * have 256 KiB.
     */
    private static final int LONGEST_NAME = 253;

    private static final String SOURCE = "annotation " + Names.GANG;

    private AnnotatedGang() {}

    static boolean isNone(Pod pod) {
        var name = said(pod, Names.GANG);
        return name != null && name.strip().equals(GangClaim.NONE);
    }

    static Optional<GangClaim> of(Pod pod) {
        var name = said(pod, Names.GANG);
        var size = said(pod, Names.GANG_SIZE);
        if (name == null && size == null) {
            return Optional.empty();
        }
        if (name == null || name.isBlank()) {
            return Optional.of(malformed("%s is '%s', but %s is missing or empty; expected the name of the gang"
                    .formatted(Names.GANG_SIZE, UserText.shown(String.valueOf(size)), Names.GANG)));
        }
        if (name.strip().length() > LONGEST_NAME) {
            return Optional.of(malformed("%s '%s' is longer than %d characters"
                    .formatted(Names.GANG, UserText.shown(name.strip()), LONGEST_NAME)));
        }
        var gang = GangObject.namespace(pod) + "/" + UserText.printable(name.strip());
        if (size == null) {
            var missing = new Malformed(
                    gang,
                    gang,
                    "%s is missing; expected the number of pods of gang %s".formatted(Names.GANG_SIZE, gang));
            return JobGang.of(pod, missing).<GangClaim>map(job -> job).or(() -> Optional.of(missing));
        }
        return Optional.of(Replicas.stated(size)
                .<GangClaim>map(members -> new Stated(new Gang(gang, gang, members, SOURCE, true)))
                .orElseGet(() -> new Malformed(gang, gang, Replicas.problem(Names.GANG_SIZE, size))));
    }

    private static Malformed malformed(String problem) {
        return new Malformed("", "", problem);
    }

    private static @Nullable String said(Pod pod, String name) {
        var annotations = pod.getMetadata().getAnnotations();
        var annotated = annotations == null ? null : annotations.get(name);
        var labels = pod.getMetadata().getLabels();
        return annotated != null || labels == null ? annotated : labels.get(name);
    }
}
