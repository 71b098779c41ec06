package dev.trainyard.workshop.demo;

import dev.trainyard.workshop.cluster.ChosenCloud;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** The signs by which agents announce on a node that the cloud will reclaim the node's machine. */
final class ReclaimSign {

    /** The notice of Azure. */
    private static final Duration LEAD = Duration.ofSeconds(30);

    private ReclaimSign() {}

    /** Returns the taint of AWS Node Termination Handler. It states no time, so the scaler assumes two minutes. */
    static Taint taint() {
        return new TaintBuilder()
                .withKey("aws-node-termination-handler/spot-itn")
                .withValue("demo")
                .withEffect("NoSchedule")
                .build();
    }

    /** Returns the arguments of the kubectl command that puts {@link #taint} on a node. */
    static List<String> tainting(String node) {
        var taint = taint();
        return List.of(
                "taint", "node", node, "%s=%s:%s".formatted(taint.getKey(), taint.getValue(), taint.getEffect()));
    }

    /** Returns the arguments of the kubectl command that puts the sign of the cloud's usual agent on a node. */
    static List<String> command(ChosenCloud cloud, String node, Instant now) {
        return cloud == ChosenCloud.AZURE ? conditioning(node, now) : tainting(node);
    }

    /** The condition of AKS's node problem detector states when the machine will be gone. */
    private static List<String> conditioning(String node, Instant now) {
        var gone = DateTimeFormatter.RFC_1123_DATE_TIME.format(now.plus(LEAD).atOffset(ZoneOffset.UTC));
        var condition = """
                {"type": "PreemptionScheduled", "status": "True", "reason": "SpotEvictionIncoming", \
                "message": "Preempt Scheduled: %s. EventId: demo", "lastTransitionTime": "%s"}""".formatted(gone, now);
        return List.of(
                "patch",
                "node",
                node,
                "--subresource=status",
                "--patch={\"status\": {\"conditions\": [%s]}}".formatted(condition));
    }
}
