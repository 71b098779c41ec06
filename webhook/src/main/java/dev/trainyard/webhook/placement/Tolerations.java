package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;

/** Lets a pod onto the tainted nodes of some pools. */
public final class Tolerations {

    private static final JsonPointer TOLERATIONS = JsonPointer.compile("/spec/tolerations");

    private Tolerations() {}

    /**
     * Tolerates every taint that the pools promise and the pod does not tolerate yet; each taint in full, key, value and effect, so that
     * nothing else is tolerated.
     */
    static void complete(Draft pod, PodShape shape, List<Pool> pools) {
        pools.stream()
                .flatMap(pool -> pool.promise().taints().stream())
                .map(taint -> new Taint(taint.key(), taint.valueOrEmpty(), taint.effect()))
                .distinct()
                .filter(taint -> shape.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint)))
                .forEach(taint -> pod.append(TOLERATIONS, of(taint)));
    }

    /** What tolerates {@code taint} and nothing else. */
    public static ObjectNode of(Taint taint) {
        // Without a value it tolerates the taint that has none; Exists would tolerate every value.
        var toleration =
                JsonNodeFactory.instance.objectNode().put("key", taint.key()).put("operator", "Equal");
        if (!taint.valueOrEmpty().isEmpty()) {
            toleration.put("value", taint.valueOrEmpty());
        }
        return toleration.put("effect", taint.effect());
    }
}
