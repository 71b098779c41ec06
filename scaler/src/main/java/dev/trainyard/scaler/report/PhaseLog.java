package dev.trainyard.scaler.report;

import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The phases and counters of a round in the log, in the wording and order of the autoscalers that Trainyard replaces. A round without new
 * decisions or changes logs none of these lines at the default log level. Not thread-safe.
 */
public final class PhaseLog {

    /** The maximum number of nodes that one round names. After a restart, all nodes count as changed. */
    static final int NODES_NAMED = 25;

    /** A receiver of log lines. */
    @FunctionalInterface
    interface Log {
        /**
         * Writes a line.
         *
         * @param news whether operators should see the line at the default log level
         * @param text evaluated only if the line is written
         */
        void line(boolean news, Supplier<String> text);
    }

    private record Counters(int toSchedule, int ours, int pending) {}

    private final Log log;
    private Counters last = new Counters(0, 0, 0);
    /**
     * The requests of the last plan. If a request is only repeated, such as after a missing answer, it is not logged at the default log
     * level.
     */
    private Set<String> lastOrders = Set.of();

    private final Map<String, NodeState> states = new HashMap<>();
    private boolean scalingIsNews;
    private boolean maintenanceIsNews;

    PhaseLog(Log log) {
        this.log = log;
    }

    /** Logs the beginning of the scale-up; called before any request to a cloud. */
    public void scalingUpBegins(Snapshot snapshot, Plan plan) {
        var counters = count(plan);
        var orders = plan.growths().stream().map(Growth::toString).collect(Collectors.toSet());
        plan.withdrawals().forEach(withdrawal -> orders.add(withdrawal.toString()));
        scalingIsNews = !counters.equals(last) || !lastOrders.containsAll(orders);
        last = counters;
        lastOrders = orders;
        scaling(() -> "Running Scaling Loop");
        scaling(() -> "Pods to schedule: %d".formatted(counters.toSchedule()));
        scaling(() -> "Scaling Up Begins");
        scaling(() -> "Nodes: %d".formatted(snapshot.nodes().size()));
        scaling(() -> "To schedule: %d".formatted(counters.ours()));
        scaling(() -> "Pending pods: %d".formatted(counters.pending()));
        if (!plan.growths().isEmpty()) {
            scaling(() -> "Scaling for %d pods".formatted(counters.pending()));
        }
    }

    /**
     * Returns the log line of a request. The line states how many machines the pending pods need, and how many are requested. The numbers
     * differ if the pool reaches its maximum.
     */
    static String requested(Growth growth) {
        return "New capacity requested for pool %s: %d agents (current capacity: %d agents), units_needed: %d, units_requested: %d, for %s%s"
                .formatted(
                        growth.pool().name(),
                        growth.to(),
                        growth.from(),
                        growth.wanted(),
                        growth.machines(),
                        growth.why(),
                        growth.insteadOf().isEmpty()
                                ? ""
                                : growth.insteadOf().stream()
                                        .map(refusal -> refusal.message())
                                        .reduce((a, b) -> a + "; " + b)
                                        .map(why -> ", because " + why)
                                        .orElse(""));
    }

    public void scalingUpEnds() {
        scaling(() -> "Scaling Up Ends");
    }

    /** Logs the beginning of the maintenance; called before any change to a node. */
    public void maintenanceBegins(List<Verdict> verdicts) {
        var news = new ArrayList<Verdict>();
        var known = new HashMap<String, NodeState>();
        for (var verdict : verdicts) {
            var name = verdict.node().name();
            known.put(name, verdict.state());
            if (states.get(name) != verdict.state()) {
                news.add(verdict);
            }
        }
        maintenanceIsNews = !news.isEmpty() || known.size() != states.size();
        states.clear();
        states.putAll(known);
        maintenance(() -> "Maintenance Begins");
        maintenance(() -> "Maintaining Nodes");
        var named = news.stream().limit(NODES_NAMED).toList();
        for (var verdict : verdicts) {
            log.line(named.contains(verdict), () -> line(verdict));
        }
        if (news.size() > named.size()) {
            maintenance(
                    () -> "and %d other nodes: %s".formatted(news.size() - named.size(), summary(news, named.size())));
        }
    }

    public void maintenanceEnds() {
        maintenance(() -> "Maintenance Ends");
    }

    private static String line(Verdict verdict) {
        return "node: %-40s state: %s: %s".formatted(verdict.node().name(), verdict.state(), verdict.reason());
    }

    private static String summary(List<Verdict> verdicts, int from) {
        var counts = new TreeMap<String, Integer>();
        verdicts.subList(from, verdicts.size())
                .forEach(verdict -> counts.merge(verdict.state().toString(), 1, Integer::sum));
        var words = new ArrayList<String>();
        counts.forEach((state, count) -> words.add("%d %s".formatted(count, state)));
        return String.join(", ", words);
    }

    private static Counters count(Plan plan) {
        int all = plan.outcomes().size();
        int ours = 0;
        int pending = 0;
        for (var outcome : plan.outcomes().values()) {
            boolean isOurs = !(outcome instanceof Outcome.NotOurs);
            ours += isOurs ? 1 : 0;
            pending += isOurs && !(outcome instanceof Outcome.OnNode) ? 1 : 0;
        }
        return new Counters(all, ours, pending);
    }

    private void scaling(Supplier<String> text) {
        log.line(scalingIsNews, text);
    }

    private void maintenance(Supplier<String> text) {
        log.line(maintenanceIsNews, text);
    }
}
