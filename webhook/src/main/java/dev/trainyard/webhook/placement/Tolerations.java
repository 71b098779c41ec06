package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;

/** The tolerations for the taints of some pools. */
public final class Tolerations {

    private static final JsonPointer TOLERATIONS = JsonPointer.compile("/spec/tolerations");

    private Tolerations() {}

    /**
     * Adds tolerations for the promised taints that the pod does not tolerate yet. Each toleration states key, value and effect, so that it
     * covers no other taint.
     */
    static void complete(Draft pod, PodShape shape, List<Pool> pools) {
        pools.stream()
                .flatMap(pool -> pool.promise().taints().stream())
                .map(taint -> new Taint(taint.key(), taint.valueOrEmpty(), taint.effect()))
                .distinct()
                .filter(taint -> shape.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint)))
                .forEach(taint -> pod.append(TOLERATIONS, of(taint)));
    }

    /** Returns a toleration of {@code taint} and of no other taint. */
    public static ObjectNode of(Taint taint) {
        // A toleration without a value matches the taint without a value. Operator Exists would match every value.
        var toleration =
                JsonNodeFactory.instance.objectNode().put("key", taint.key()).put("operator", "Equal");
        if (!taint.valueOrEmpty().isEmpty()) {
            toleration.put("value", taint.valueOrEmpty());
        }
        return toleration.put("effect", taint.effect());
    }
}
