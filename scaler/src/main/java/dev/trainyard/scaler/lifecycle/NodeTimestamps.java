package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ReturnAttempt;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The times that the lifecycle needs later, such as the start of a node's idle time, stored as annotations of the nodes. */
public final class NodeTimestamps {

    /** The starts of periods after which a node may be removed, and the number of GPUs whose loss starts such a period. */
    private static final Set<String> STARTS = Set.of(
            ScalerAnnotations.SEEN_SINCE,
            ScalerAnnotations.USABLE_SINCE,
            ScalerAnnotations.MOST_GPUS,
            ScalerAnnotations.IDLE_SINCE,
            ScalerAnnotations.UNDER_UTILIZED_SINCE,
            ScalerAnnotations.CORDONED_SINCE);

    private NodeTimestamps() {}

    /** Returns the changes to a node's annotations: the new values by name. An empty value means that the annotation must be removed. */
    public static Map<String, Optional<String>> missing(NodeView node, Snapshot snapshot) {
        var now = snapshot.now();
        var changes = new TreeMap<String, Optional<String>>();
        var marks = node.marks();
        if (node.pool().isEmpty() && !node.trainingPods().isEmpty()) {
            // The node's pool may be invalid for now. Once the pool is fixed, the idle time must not start before these
            // pods have ended.
            keep(ScalerAnnotations.IDLE_SINCE, marks.idleSince(), Optional.empty(), changes);
        }
        if (node.pool().isEmpty() || node.terminating()) {
            return changes;
        }
        var noticed = node.notice().flatMap(NoticeTable::noticedSince);
        if (!noticed.equals(marks.noticedSince())) {
            changes.put(Names.NOTICED_SINCE, noticed);
        }
        if (marks.refusals().isPresent() && !evicts(node, snapshot)) {
            changes.put(ScalerAnnotations.EVICTIONS_REFUSED, Optional.empty());
        }
        if (node.exempt().isPresent()) {
            return changes;
        }
        if (node.registering() && marks.seenSince().isEmpty()) {
            changes.put(ScalerAnnotations.SEEN_SINCE, Optional.of(now.toString()));
        }
        if ((node.usable() || node.wasUsable()) && marks.usableSince().isEmpty()) {
            changes.put(ScalerAnnotations.USABLE_SINCE, Optional.of(now.toString()));
        }
        long gpus = node.shape().allocatable().gpus();
        if (node.isComplete() && gpus > marks.mostGpus()) {
            changes.put(ScalerAnnotations.MOST_GPUS, Optional.of(String.valueOf(gpus)));
        }
        noteUse(node, now, changes);
        noteMissing(node, snapshot, changes);
        var attempt = SpotReturns.attempt(node, snapshot);
        if (!attempt.equals(marks.spotReturn())) {
            changes.put(ScalerAnnotations.RETURN_TO_SPOT, attempt.map(ReturnAttempt::toString));
        }
        keep(
                ScalerAnnotations.CORDONED_SINCE,
                marks.cordonedSince(),
                node.cordon().others().map(claim -> marks.cordonedSince().orElse(now)),
                changes);
        return changes;
    }

    /**
     * Returns whether these changes may be written in a later round, because they only start periods: the node is then removed later.
     * Other changes cannot wait. With an idle time that should have ended, a node would be removed too early. The pods of a missing or
     * announced machine are moved only once its time is written.
     */
    public static boolean canWait(NodeView node, Map<String, Optional<String>> changes) {
        return STARTS.containsAll(changes.keySet())
                && changes.values().stream().allMatch(Optional::isPresent)
                && (!changes.containsKey(ScalerAnnotations.IDLE_SINCE)
                        || node.marks().idleSince().isEmpty());
    }

    /** Whether the scaler evicts pods of the node: all, or members of gangs while the node stays. */
    private static boolean evicts(NodeView node, Snapshot snapshot) {
        return node.marks().removal().isPresent()
                || node.reclaim().isPresent()
                || node.trainingPods().stream()
                        .anyMatch(pod -> !pod.terminating()
                                && snapshot.gangLeaveNotice(pod).isPresent());
    }

    private static void noteUse(NodeView node, Instant now, Map<String, Optional<String>> changes) {
        var marks = node.marks();
        boolean idle = node.trainingPods().isEmpty();
        if (idle && (node.usable() || isEmptied(node) || node.cordon().others().isPresent())) {
            keep(
                    ScalerAnnotations.IDLE_SINCE,
                    marks.idleSince(),
                    Optional.of(node.idleSince().orElse(now)),
                    changes);
        } else if (!idle) {
            keep(ScalerAnnotations.IDLE_SINCE, marks.idleSince(), Optional.empty(), changes);
        }
        if (marks.removal().isEmpty()) {
            boolean little = node.takesPods() && Utilization.isLittle(node);
            var since = marks.underUtilizedSince();
            keep(
                    ScalerAnnotations.UNDER_UTILIZED_SINCE,
                    since,
                    little ? Optional.of(since.orElse(now)) : Optional.empty(),
                    changes);
        }
    }

    /** Whether the scaler empties the node. If so, {@link Draining} needs the idle time even if the node hangs or has lost its GPUs. */
    private static boolean isEmptied(NodeView node) {
        return node.isRemovedAsSick()
                || node.marks().removal().filter(Removal::movesPods).isPresent();
    }

    private static void keep(
            String mark, Optional<Instant> noted, Optional<Instant> truth, Map<String, Optional<String>> changes) {
        if (!noted.equals(truth)) {
            changes.put(mark, truth.map(Instant::toString));
        }
    }

    private static void noteMissing(NodeView node, Snapshot snapshot, Map<String, Optional<String>> changes) {
        var state = node.pool().map(pool -> snapshot.pools().get(pool.name())).flatMap(PoolView::state);
        boolean noted = node.marks().missingSince().isPresent();
        if (state.isEmpty()) {
            return; // unknown while the pool cannot be read
        }
        boolean missing = !node.ready() && state.get().machines().stream().noneMatch(node::isOn);
        if (missing && !noted) {
            changes.put(
                    ScalerAnnotations.MISSING_SINCE, Optional.of(snapshot.now().toString()));
        } else if (!missing && noted) {
            changes.put(ScalerAnnotations.MISSING_SINCE, Optional.empty());
        }
    }
}
