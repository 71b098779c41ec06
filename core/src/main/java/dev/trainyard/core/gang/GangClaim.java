package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a pod itself says about its gang. */
public sealed interface GangClaim {

    /** The value of the annotation {@link Names#GANG} for a pod that has no gang, whatever its owner says. */
    String NONE = "none";

    /**
     * Returns the identity of the pods that would stop if one of them stopped. It is the gang's key, or less precise: the pods of an owner
     * that starts its pods in phases have one group, but a gang for each phase.
     */
    String group();

    /** Returns the gang's name in messages. */
    String name();

    /** A pod that states its whole gang. */
    record Stated(Gang gang) implements GangClaim {
        @Override
        public String group() {
            return gang.key();
        }

        @Override
        public String name() {
            return gang.name();
        }
    }

    /**
     * A pod whose gang is described by another object.
     *
     * @param reading reads the gang of this pod from the object. Empty if the object does not need several pods at the same time, so that
     *     each pod counts alone. Throws {@link IllegalArgumentException} if a part of the object is invalid; the message names the field and
     *     its value
     * @param otherwise what counts if the object cannot be read or describes no gang: another claim of the pod, or a problem. Empty if the
     *     pod then has no gang
     */
    record OfObject(
            String group, GangObject object, Function<JsonNode, Optional<Gang>> reading, Optional<GangClaim> otherwise)
            implements GangClaim {
        @Override
        public String name() {
            return object.toString();
        }
    }

    /**
     * A pod whose statement is invalid.
     *
     * @param problem the field, its value, and the expected value
     */
    record Malformed(String group, String name, String problem) implements GangClaim {}

    /**
     * Returns what the pod says about its gang; empty if the pod has no gang. The annotation takes precedence over everything else.
     *
     * <p>LeaderWorkerSet comes before the pod groups, since it creates such groups itself: for Volcano with the leader alone as the least
     * number, and for Kueue with workers that are not created yet.
     */
    static Optional<GangClaim> of(Pod pod) {
        if (pod.getMetadata() == null || AnnotatedGang.isNone(pod)) {
            return Optional.empty();
        }
        return Stream.<Function<Pod, Optional<GangClaim>>>of(
                        AnnotatedGang::of,
                        LeaderWorkerSetGang::of,
                        PodGroupGang::of,
                        KueuePodGroup::of,
                        JobSetGang::of,
                        KubeflowGang::of,
                        RayClusterGang::of)
                .flatMap(source -> source.apply(pod).stream())
                .reduce(GangClaim::or);
    }

    /** Returns this claim; if it has no alternative yet, the other claim is its alternative. */
    private GangClaim or(GangClaim other) {
        return this instanceof OfObject first && first.otherwise().isEmpty()
                ? new OfObject(first.group(), first.object(), first.reading(), Optional.of(other))
                : this;
    }
}
