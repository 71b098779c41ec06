package dev.trainyard.cli.check;

import dev.trainyard.core.Trap;
import dev.trainyard.extender.filter.Refusal;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A check for pending pods whose nodes the extender refuses, by the scheduler's last message on each pod. */
final class RefusalsCheck implements Check {

    private static final String ABOUT = "refusals of the extender";

    @Override
    public List<Finding> look(Seen seen) {
        return seen.scheduling()
                .pods()
                .value()
                .map(RefusalsCheck::look)
                .orElse(List.of()); // another check reports that they cannot be read
    }

    private static List<Finding> look(List<Pod> pods) {
        var waiting = pods.stream().filter(Waiting::hasNoNode).toList();
        var findings = Stream.of(Refusal.values())
                .flatMap(refusal -> of(refusal, waiting))
                .toList();
        return findings.isEmpty() ? List.of(Finding.ok(ABOUT, "no pod waits because of them")) : findings;
    }

    private static Stream<Finding> of(Refusal refusal, List<Pod> waiting) {
        // The scheduler's format: "0/57 nodes are available: 12 REASON, 3 REASON. preemption: ...".
        var told = Pattern.compile("[:,] \\d+ " + Pattern.quote(refusal.reason()));
        var refused = waiting.stream()
                .filter(pod -> told.matcher(Waiting.message(pod)).find())
                .collect(Collectors.toList());
        return refused.isEmpty()
                ? Stream.empty()
                : Stream.of(Finding.note(ABOUT, "%s: %s".formatted(refusal.reason(), Waiting.named(refused)))
                        .todo("that may be as it should; 'kubectl describe pod' tells more")
                        .see(Trap.NODES_REFUSED));
    }
}
