package dev.trainyard.extender;

import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import dev.trainyard.extender.pod.TieredPod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A log of two events of our scheduler's pods. First, the filter leaves no node for a pod, and the reasons differ from those logged last
 * for the pod. Second, a pod gets a node. Log lines have the pod's UID and the trace ID that the webhook wrote on the pod. A filter answer
 * with nodes is not logged, so that the answer does not wait for the log. The pod is logged when the watch reports its node. Thread-safe.
 */
final class PodLog implements AnswerDispatcher.FilterListener, PodWatcher {

    private static final Logger log = LoggerFactory.getLogger(PodLog.class);
    private static final int REMEMBERED = 10_000;

    /** The last logged reasons for each pod that was seen pending, by UID. */
    private final Map<String, Set<String>> waiting = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
            return size() > REMEMBERED;
        }
    };

    @Override
    public void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts) {
        if (!verdicts.leaveNone() || !pod.facts().isOurs()) {
            return;
        }
        var reasons = verdicts.histogram();
        synchronized (this) {
            if (reasons.keySet().equals(waiting.put(pod.facts().uid(), reasons.keySet()))) {
                return;
            }
        }
        line(pod.facts()).addKeyValue("refused", reasons).log("left without a node");
    }

    @Override
    public void seen(PodFacts pod) {
        if (!pod.isOurs()) {
            return;
        }
        boolean waited;
        synchronized (this) {
            if (pod.waits()) {
                waiting.putIfAbsent(pod.uid(), Set.of());
                return;
            }
            waited = waiting.remove(pod.uid()) != null;
        }
        if (waited && pod.node().isPresent()) {
            line(pod).addKeyValue("node", pod.node().get()).log("has a node");
        }
    }

    @Override
    public synchronized void gone(PodFacts last) {
        waiting.remove(last.uid());
    }

    private static LoggingEventBuilder line(PodFacts pod) {
        return log.atInfo()
                .addKeyValue("pod", pod.namespace() + "/" + pod.name())
                .addKeyValue("uid", pod.uid())
                .addKeyValue("trace", pod.trace());
    }
}
