package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.GpuResources;
import dev.trainyard.webhook.pod.Notes;
import dev.trainyard.webhook.pod.Shapes;
import dev.trainyard.webhook.pod.UserText;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Sends a pod to the machines of its tier. What its author demanded of nodes is narrowed, never lifted nor contradicted. */
public final class Placement {

    private static final JsonPointer NODE_NAME = JsonPointer.compile("/spec/nodeName");
    private static final JsonPointer SCHEDULER = JsonPointer.compile("/spec/schedulerName");
    private static final Set<String> DEFAULT_SCHEDULER = Set.of("", "default-scheduler");

    private Placement() {}

    /** @throws IllegalArgumentException when the pod holds something that is not what it should be; the message says what */
    public static void complete(Draft pod, Tier tier, Notes notes) {
        var node = pod.at(NODE_NAME).asText("");
        if (!node.isEmpty()) {
            // No scheduler will look at it, but its node's kubelet rejects a pod whose affinity does not match.
            notes.withheld("no placement: it names its node, %s, itself".formatted(UserText.shown(node)));
            return;
        }
        var shape = Shapes.of(pod);
        var pools = place(pod, shape, tier, notes);
        // Even a pod that has no machine today is ours: only our scheduler lets it in when that changes.
        chooseScheduler(pod, notes);
        if (!pools.isEmpty() && pools.stream().noneMatch(pool -> fits(shape, pool))) {
            notes.withheld(whyNoneFits(shape, tier, pools));
        }
    }

    /** @return the pools whose nodes the pod is kept on; empty when there is none, and the pod's demands are as they were */
    private static List<Pool> place(Draft pod, PodShape shape, Tier tier, Notes notes) {
        if (tier.pools().isEmpty()) {
            notes.withheld("no placement: tier %s has no pool that can be used".formatted(tier.name()));
            return List.of();
        }
        var pools = RequiredAffinity.open(shape, tier.pools());
        if (pools.isEmpty()) {
            notes.withheld("no placement: its own node selector or affinity excludes all pools of tier %s"
                    .formatted(tier.name()));
            return List.of();
        }
        Tolerations.complete(pod, shape, pools);
        RequiredAffinity.complete(pod, shape, pools);
        PreferredAffinity.complete(pod, pools);
        notes.given("placed on " + names(pools));
        return pools;
    }

    private static void chooseScheduler(Draft pod, Notes notes) {
        var named = pod.at(SCHEDULER).asText("");
        if (DEFAULT_SCHEDULER.contains(named)) {
            pod.put(SCHEDULER, JsonNodeFactory.instance.textNode(Names.SCHEDULER));
        } else if (!named.equals(Names.SCHEDULER)) {
            notes.withheld("its own scheduler, %s, was kept".formatted(UserText.shown(named)));
        }
    }

    private static boolean fits(PodShape shape, Pool pool) {
        return pool.promise().allocatable().firstLacking(shape.requests()) == null;
    }

    private static String whyNoneFits(PodShape shape, Tier tier, List<Pool> pools) {
        var largest =
                pools.stream().max(Comparator.comparingLong(Pool::promisedGpus)).orElseThrow();
        if (shape.gpus() > largest.promisedGpus()) {
            return "asks for %s, but the largest machines of tier %s, pool %s, have %d"
                    .formatted(GpuResources.words(shape.gpus()), tier.name(), largest.name(), largest.promisedGpus());
        }
        return "too large for a machine of tier %s: %s"
                .formatted(
                        tier.name(),
                        pools.stream()
                                .map(pool -> "%s lacks %s"
                                        .formatted(
                                                pool.name(),
                                                pool.promise().allocatable().firstLacking(shape.requests())))
                                .collect(Collectors.joining(", ")));
    }

    private static String names(List<Pool> pools) {
        return pools.stream().map(Pool::name).collect(Collectors.joining(", "));
    }
}
