package dev.trainyard.scaler.report;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A reporter of changes of nodes' states. A node's state before the start of the process is unknown, so the first known state of a node is
 * not reported. Not thread-safe.
 */
public final class NodeStateChanges {

    private record Standing(NodeState state, Instant since) {}

    private Map<String, Standing> before = new HashMap<>();

    /** Returns the changes as text, by node name. Leaves out nodes that the round acts on, since the action has its own report. */
    public Map<String, String> news(List<Verdict> verdicts, Instant now) {
        var news = new TreeMap<String, String>();
        var after = new HashMap<String, Standing>();
        for (var verdict : verdicts) {
            var node = verdict.node().name();
            var known = before.get(node);
            boolean changed = known == null || known.state() != verdict.state();
            after.put(node, changed ? new Standing(verdict.state(), now) : known);
            if (changed && known != null && verdict.step() instanceof Verdict.Keep) {
                news.put(node, words(known, verdict, now));
            }
        }
        before = after;
        return news;
    }

    private static String words(Standing known, Verdict verdict, Instant now) {
        var time = Duration.ofSeconds(Duration.between(known.since(), now).toSeconds());
        var pool = verdict.node().pool().map(Pool::name).map(name -> "pool " + name + ": ");
        return "%sthe state was %s for %s and is now %s: %s"
                .formatted(pool.orElse(""), known.state(), Durations.format(time), verdict.state(), verdict.reason());
    }
}
