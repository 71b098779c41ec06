package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.filter.FilterRefusal;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A check for pending pods for which the extender refuses nodes. The scheduler's last message on a pod contains the refusals. */
final class RefusalsCheck implements Check {

    private static final String ABOUT = "refusals of the extender";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        if (!seen.usesExtender()) {
            return List.of();
        }
        return seen.scheduling()
                .pods()
                .value()
                .map(RefusalsCheck::look)
                .orElse(List.of()); // another check reports unreadable pods
    }

    private static List<Finding> look(List<Pod> pods) {
        var waiting = pods.stream().filter(PodSchedulingState::hasNoNode).toList();
        var findings = Stream.of(FilterRefusal.values())
                .flatMap(refusal -> of(refusal, waiting))
                .toList();
        return findings.isEmpty() ? List.of(Finding.ok(ABOUT, "no pod is pending because of a refusal")) : findings;
    }

    private static Stream<Finding> of(FilterRefusal refusal, List<Pod> waiting) {
        // The scheduler's format: "0/57 nodes are available: 12 REASON, 3 REASON. preemption: ...".
        var told = Pattern.compile("[:,] \\d+ " + Pattern.quote(refusal.reason()));
        var refused = waiting.stream()
                .filter(pod -> told.matcher(PodSchedulingState.message(pod)).find())
                .collect(Collectors.toList());
        return refused.isEmpty()
                ? Stream.empty()
                : Stream.of(Finding.note(ABOUT, "%s: %s".formatted(refusal.reason(), PodSchedulingState.named(refused)))
                        .todo("this may be intended; see 'kubectl describe pod'")
                        .see(TroubleshootingTopic.NODES_REFUSED));
    }
}
