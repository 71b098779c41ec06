package dev.trainyard.extender;

import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.pod.TieredPod;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;

/**
 * A receiver of all answers to the scheduler. It updates the metrics, and passes filter answers and pods without a node to their listeners.
 */
final class AnswerDispatcher implements Verbs.Answers {

    private final ExtenderMetrics metrics;
    private final Consumer<UnplacedPod> unplaced;
    private final List<FilterListener> listeners;
    private final Clock clock;

    /** A listener for answers to {@code /filter}. It must return at once. It may store its arguments, because they do not change. */
    @FunctionalInterface
    interface FilterListener {
        void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts);
    }

    /** @param unplaced receives each pod for which no node was left; must return at once */
    AnswerDispatcher(
            ExtenderMetrics metrics, Consumer<UnplacedPod> unplaced, List<FilterListener> listeners, Clock clock) {
        this.metrics = metrics;
        this.unplaced = unplaced;
        this.listeners = List.copyOf(listeners);
        this.clock = clock;
    }

    @Override
    public void answered(String verb, int nodes, long nanos) {
        metrics.answered(verb, nodes, nanos);
    }

    @Override
    public void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts) {
        metrics.filtered(verdicts);
        listeners.forEach(listener -> listener.filtered(pod, nodes, verdicts));
        if (verdicts.leaveNone()) {
            var facts = pod.facts();
            unplaced.accept(new UnplacedPod(
                    facts.uid(), facts.namespace(), facts.name(), clock.millis(), verdicts.histogram()));
        }
    }
}
