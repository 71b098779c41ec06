package dev.trainyard.webhook.admission;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.CheckpointSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.api.TrainingTierSpec.DriverSpec;
import dev.trainyard.core.api.TrainingTierSpec.GangStart;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.PodRequest;
import io.fabric8.kubernetes.api.model.Quantity;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;

/**
 * A made-up pod with a made-up configuration, on which the webhook decides before its first real request. The first decision of a new
 * process takes most of a second, which would delay all new pods of the cluster.
 */
public final class Rehearsal {

    private static final String NAMESPACE = "rehearsal";
    private static final Catalogue CATALOGUE = catalogue();

    private Rehearsal() {}

    /** Decides on the made-up pod, which needs a tier, a driver, a placement and the gate of its gang. */
    public static Decision run(PodDecider decider) {
        return decide(decider, pod());
    }

    /** Decides on a pod by the made-up configuration, because the cluster's configuration is possibly not read yet. */
    static Decision decide(PodDecider decider, ObjectNode pod) {
        return decider.decide(new PodRequest(pod, NAMESPACE, NamespaceFacts.NONE), CATALOGUE);
    }

    /** Returns a dry-run AdmissionReview that the webhook sends to itself, always with the same pod. Dry runs are neither counted nor logged. */
    public static Buffer review() {
        var review = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", AdmissionRequest.API_VERSION)
                .put("kind", AdmissionRequest.KIND);
        var request = review.putObject("request")
                .put("uid", NAMESPACE)
                .put("operation", "CREATE")
                .put("namespace", NAMESPACE)
                .put("dryRun", true);
        request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
        request.set("object", pod());
        return Buffer.buffer(review.toString());
    }

    private static ObjectNode pod() {
        var pod = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata")
                .put("generateName", "rehearsal-")
                .putObject("annotations")
                .put(Names.GANG, "rehearsal")
                .put(Names.GANG_SIZE, "1");
        var container = pod.putObject("spec").putArray("containers").addObject().put("name", "rehearsal");
        container.putObject("resources").putObject("requests").put(ResourceNames.GPU, "1");
        return pod;
    }

    private static Catalogue catalogue() {
        var tier = TrainingTierSpec.builder(List.of("spot", "on-demand"))
                .defaultFor(new DefaultFor(new GpuRange(1, null)))
                .driver(new DriverSpec(DriverMode.HOST_PATH, null, null, null))
                .checkpoint(new CheckpointSpec("90s", true))
                .gangs(GangStart.WHOLE)
                .build();
        return Catalogue.of(
                Map.of("spot", pool(CapacityType.SPOT), "on-demand", pool(CapacityType.ON_DEMAND)),
                Map.of("rehearsal", tier));
    }

    private static TrainingPoolSpec pool(CapacityType capacityType) {
        var promise = new PromiseSpec(
                Map.of("capacity", capacityType.toString()),
                List.of(new TaintSpec("capacity", capacityType.toString(), "NoSchedule")),
                Map.of(ResourceNames.GPU, new Quantity("1")),
                null,
                null);
        var provider = new ProviderSpec(null, null, null, new ProviderSpec.Kwok(null, null, null, null));
        return new TrainingPoolSpec(provider, capacityType, null, null, null, promise, null, null, null);
    }
}
