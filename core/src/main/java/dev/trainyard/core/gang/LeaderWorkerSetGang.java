package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;

/**
 * The gang of one group of a LeaderWorkerSet: a leader and its workers. If the workers are created only after the leader has a node or is
 * ready, leader and workers are two gangs. If the LeaderWorkerSet cannot be read, this is assumed.
 */
final class LeaderWorkerSetGang {

    private static final String PREFIX = "leaderworkerset.sigs.k8s.io/";
    private static final String NAME = PREFIX + "name";
    private static final String SIZE = PREFIX + "size";

    private LeaderWorkerSetGang() {}

    static Optional<GangClaim> of(Pod pod) {
        var labels = pod.getMetadata().getLabels();
        var annotations = pod.getMetadata().getAnnotations();
        var name = labels == null ? null : labels.get(NAME);
        var size = annotations == null ? null : annotations.get(SIZE);
        if (name == null || size == null) {
            return Optional.empty();
        }
        return Optional.of(GangObject.named(
                "leaderworkerset.x-k8s.io",
                "LeaderWorkerSet",
                pod,
                NAME,
                name,
                set -> claim(labels, size, annotations.containsKey(PREFIX + "exclusive-topology"), set)));
    }

    private static GangClaim claim(Map<String, String> labels, String size, boolean exclusive, GangObject set) {
        var index = String.valueOf(labels.get(PREFIX + "group-index"));
        boolean leads = "0".equals(labels.get(PREFIX + "worker-index"));
        var group = "%s %s %s".formatted(set, index, labels.get(PREFIX + "group-key"));
        var named = "%s, group %s".formatted(set, UserText.shown(index));
        return Replicas.stated(size)
                .<GangClaim>map(pods -> {
                    var apart = apart(group, named, pods, leads);
                    return new OfObject(
                            group,
                            set,
                            object -> Optional.of(
                                    exclusive || startsLeadersFirst(object)
                                            ? apart
                                            : Gang.found(group, named, pods, "annotation " + SIZE)),
                            Optional.of(new Stated(apart)));
                })
                .orElseGet(() -> new Malformed(group, named, Replicas.problem(SIZE, size)));
    }

    private static Gang apart(String group, String named, int size, boolean leads) {
        return leads
                ? Gang.found(group + " leader", named + ", leader", 1, "label " + PREFIX + "worker-index")
                : Gang.found(group + " workers", named + ", workers", Math.max(1, size - 1), "annotation " + SIZE);
    }

    private static boolean startsLeadersFirst(JsonNode object) {
        return object.at("/spec/startupPolicy").asText().equals("LeaderReady");
    }
}
