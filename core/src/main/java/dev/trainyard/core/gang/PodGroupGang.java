package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.gang.GangClaim.OfObject;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The gang of a PodGroup: of Kubernetes (field {@code schedulingGroup} of a pod, from Kubernetes 1.36 on), of the scheduler plugins
 * (label), or of Volcano (annotation).
 */
final class PodGroupGang {

    /** The field of Kubernetes. */
    private static final String FIELD = "spec.schedulingGroup.podGroupName";

    /** The label of the scheduler plugins' coscheduling. */
    private static final String PLUGINS_LABEL = "scheduling.x-k8s.io/pod-group";

    /** Volcano's annotation, which is older than Kubernetes' own groups. */
    private static final String VOLCANO_ANNOTATION = "scheduling.k8s.io/group-name";

    private PodGroupGang() {}

    static Optional<GangClaim> of(Pod pod) {
        return kubernetes(pod)
                .map(name -> claim(pod, "scheduling.k8s.io", FIELD, name, "/spec/schedulingPolicy/gang/minCount"))
                .or(() -> value(pod.getMetadata().getLabels(), PLUGINS_LABEL)
                        .map(name -> claim(pod, "scheduling.x-k8s.io", PLUGINS_LABEL, name, "/spec/minMember")))
                .or(() -> value(pod.getMetadata().getAnnotations(), VOLCANO_ANNOTATION)
                        .map(name -> claim(pod, "scheduling.volcano.sh", VOLCANO_ANNOTATION, name, "/spec/minMember")));
    }

    private static Optional<String> kubernetes(Pod pod) {
        return Optional.ofNullable(pod.getSpec())
                .map(spec -> spec.getSchedulingGroup())
                .map(PodSchedulingGroup::getPodGroupName);
    }

    private static Optional<String> value(@Nullable Map<String, String> map, String name) {
        return Optional.ofNullable(map).map(values -> values.get(name)).filter(text -> !text.isBlank());
    }

    private static GangClaim claim(Pod pod, String group, String field, String name, String least) {
        return GangObject.named(group, "PodGroup", pod, field, name, object -> {
            var key = group + " " + object;
            return new OfObject(key, object, read -> read(read, object, key, least), Optional.empty());
        });
    }

    /**
     * A group that does not need two pods at the same time is no gang, such as a group with Kubernetes' basic policy, or one that Volcano
     * creates for any pod that it schedules.
     */
    private static Optional<Gang> read(JsonNode object, GangObject group, String key, String least) {
        return Optional.of(Replicas.at(object, least, 0))
                .filter(size -> size > 1)
                .map(size -> Gang.found(
                        key,
                        group.toString(),
                        size,
                        "%s of %s".formatted(least.substring(1).replace('/', '.'), group)));
    }
}
