package dev.trainyard.cli;

import dev.trainyard.scaler.offline.Proposal;
import dev.trainyard.scaler.offline.Proposal.Gang;
import dev.trainyard.scaler.offline.Proposal.NodeChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;

/** The text report of a {@link Proposal}. Pods with the same reason share a line. */
final class PlanText {

    /** The largest number of pods that are named for each reason. */
    private static final int NAMED = 3;

    private PlanText() {}

    static String of(Proposal proposal) {
        var text = new StringBuilder();
        var pools = new ArrayList<List<String>>();
        pools.add(List.of("POOL", "CURRENT", "TARGET", "REASON"));
        proposal.pools()
                .forEach(pool -> pools.add(List.of(
                        pool.name(),
                        Integer.toString(pool.current()),
                        Integer.toString(pool.target()),
                        pool.reason())));
        TextTable.append(text, proposal.pools().isEmpty() ? List.of(List.of("There is no TrainingPool.")) : pools);
        pods(text, "Pods that stay pending", proposal.unplaced(), pod -> pod.pod(), pod -> pod.reason());
        nodes(text, "Machines to remove", proposal.remove());
        pods(text, "Pods that are placed", proposal.placed(), pod -> pod.pod(), pod -> pod.reason());
        nodes(text, "Machines to keep", proposal.keep());
        gangs(text, proposal.gangs());
        list(text, "Notes", proposal.notes());
        list(
                text,
                "Problems",
                proposal.problems().stream().map(Object::toString).toList());
        return text.toString();
    }

    private static void nodes(StringBuilder text, String title, List<NodeChange> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        text.append('\n').append(title).append(":\n");
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("  NODE", "POOL", "STATE", "REASON"));
        nodes.forEach(node -> rows.add(
                List.of("  " + node.node(), node.pool().isEmpty() ? "-" : node.pool(), node.state(), node.reason())));
        TextTable.append(text, rows);
    }

    private static void gangs(StringBuilder text, List<Gang> gangs) {
        if (gangs.isEmpty()) {
            return;
        }
        text.append("\nGangs of pending pods:\n");
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("  GANG", "SIZE", "PENDING", "KNOWN FROM"));
        gangs.forEach(gang -> rows.add(List.of(
                "  " + gang.gang(), Integer.toString(gang.size()), Integer.toString(gang.pending()), gang.source())));
        TextTable.append(text, rows);
    }

    private static <T> void pods(
            StringBuilder text, String title, List<T> pods, Function<T, String> name, Function<T, String> reason) {
        if (pods.isEmpty()) {
            return;
        }
        text.append('\n').append("%s (%d):\n".formatted(title, pods.size()));
        var byReason = new LinkedHashMap<String, List<String>>();
        pods.forEach(pod -> byReason.computeIfAbsent(reason.apply(pod), why -> new ArrayList<>())
                .add(name.apply(pod)));
        byReason.forEach((why, names) -> text.append("  %s: %s\n".formatted(named(names), why)));
    }

    private static String named(List<String> names) {
        var some = String.join(", ", names.subList(0, Math.min(NAMED, names.size())));
        return names.size() <= NAMED ? some : "%s and %d more".formatted(some, names.size() - NAMED);
    }

    private static void list(StringBuilder text, String title, List<String> lines) {
        if (!lines.isEmpty()) {
            text.append('\n').append(title).append(":\n");
            lines.forEach(line -> text.append("  ").append(line).append('\n'));
        }
    }
}
