package dev.trainyard.scaler.loop;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.lifecycle.Losses;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.NodeTimestamps;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Refusals;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.scaler.report.NodeStateChanges;
import dev.trainyard.scaler.report.RoundReporter;
import dev.trainyard.scaler.report.StuckNodeReports;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The stage of a round that carries out the next step for each node, as stated in the node's {@link Verdict}. A failed step does not affect
 * other nodes, and the next round tries the step again.
 */
final class Remover {

    private static final Comparator<Verdict> BY_URGENCY = Comparator.comparing(verdict -> verdict.node()
            .reclaim()
            .or(() -> verdict.step() instanceof Verdict.Evict evict ? evict.reclaim() : Optional.empty())
            .map(NodeNotice::deadline)
            .orElse(Instant.MAX));

    private final Cluster cluster;
    private final Clouds clouds;
    private final RoundReporter reporter;
    private final ScalerMetrics metrics;
    private final ReclaimedJobs jobs;
    private final IsolatedSteps steps;
    private final StuckNodeReports stays = new StuckNodeReports();
    private final NodeStateChanges transitions = new NodeStateChanges();
    /** The nodes that {@link Losses#mismatches} returned in the last round, so that each node is reported once. */
    private Set<String> mismatched = Set.of();
    /** The UIDs of reclaimed pods that are counted, as long as they are on their nodes. */
    private final Set<String> reclaimed = new HashSet<>();

    Remover(
            Cluster cluster,
            Clouds clouds,
            RoundReporter reporter,
            ScalerMetrics metrics,
            ReclaimedJobs jobs,
            IsolatedSteps steps) {
        this.cluster = cluster;
        this.clouds = clouds;
        this.reporter = reporter;
        this.metrics = metrics;
        this.jobs = jobs;
        this.steps = steps;
    }

    /**
     * Carries out the verdicts. Announced reclaims come first, the nearest deadline before the others.
     *
     * @param clock returns the wall-clock time: calls take time, and deadlines do not wait
     * @return the time annotations that {@link #noteStarts} may write later, by node
     */
    Map<String, Map<String, Optional<String>>> carryOut(
            Snapshot snapshot, List<Verdict> verdicts, Map<String, String> uids, Supplier<Instant> clock) {
        var starts = new LinkedHashMap<String, Map<String, Optional<String>>>();
        var leaving = new TreeMap<String, List<Machine>>();
        if (!reclaimed.isEmpty()) {
            reclaimed.retainAll(snapshot.nodes().stream()
                    .flatMap(node -> node.pods().stream())
                    .map(PodOnNode::uid)
                    .collect(Collectors.toSet()));
        }
        for (var verdict : verdicts.stream().sorted(BY_URGENCY).toList()) {
            var node = verdict.node();
            steps.attempt("determining the times of node " + node.name(), () -> {
                var missing = NodeTimestamps.missing(node, snapshot);
                if (!NodeTimestamps.canWait(node, missing)) {
                    note(node.name(), missing, steps::attempt);
                } else if (!missing.isEmpty() && !(verdict.step() instanceof Verdict.Terminate)) {
                    starts.put(node.name(), missing);
                }
            });
            steps.attempt("%s of node %s".formatted(verdict.step().getClass().getSimpleName(), node.name()), () -> {
                if (verdict.step() instanceof Verdict.Terminate step) {
                    if (clear(verdict, snapshot.now())) {
                        leaving.computeIfAbsent(poolName(node), name -> new ArrayList<>())
                                .add(step.machine());
                    }
                } else {
                    carryOut(verdict, uids, snapshot.now(), clock);
                }
            });
        }
        transitions
                .news(verdicts, snapshot.now())
                .forEach((node, words) -> reporter.node(node, EventRecorder.Type.NORMAL, "StateChanged", words));
        stays.news(verdicts, snapshot.now())
                .forEach((node, reason) -> reporter.node(node, EventRecorder.Type.NORMAL, "NotRemoved", reason));
        var mismatches = Losses.mismatches(snapshot);
        mismatches.forEach((node, reason) -> {
            if (!mismatched.contains(node)) {
                reporter.node(node, EventRecorder.Type.WARNING, "IdentityMismatch", reason);
            }
        });
        mismatched = mismatches.keySet();
        for (var lost : Losses.of(snapshot)) {
            reporter.machine(
                    lost.pool().name(),
                    "machine %s is given up: %s".formatted(lost.machine().id(), lost.reason()));
            leaving.computeIfAbsent(lost.pool().name(), name -> new ArrayList<>())
                    .add(lost.machine());
        }
        leaving.forEach((pool, machines) -> {
            var view = snapshot.pools().get(pool);
            if (view != null) {
                terminate(view.pool(), machines);
            }
        });
        return starts;
    }

    /** Writes the times that can wait, after all else of the round. */
    void noteStarts(Map<String, Map<String, Optional<String>>> starts) {
        starts.forEach((node, times) -> note(node, times, steps::attemptIfTimeIsLeft));
    }

    private void note(String node, Map<String, Optional<String>> times, BiConsumer<String, Runnable> attempt) {
        attempt.accept("writing the time annotations of node " + node, () -> cluster.annotate(node, times));
    }

    private void carryOut(Verdict verdict, Map<String, String> uids, Instant now, Supplier<Instant> clock) {
        var node = verdict.node().name();
        if (verdict.step() instanceof Verdict.Cordon step) {
            cluster.cordon(node, step.removal());
            reporter.node(
                    node,
                    EventRecorder.Type.NORMAL,
                    "Removing",
                    "%s: the node takes no new pods and will be removed".formatted(verdict.reason()));
        } else if (verdict.step() instanceof Verdict.Uncordon) {
            uncordon(verdict.node(), now);
            reporter.node(node, EventRecorder.Type.NORMAL, "Kept", "the node is kept: " + verdict.reason());
        } else if (verdict.step() instanceof Verdict.Drain step) {
            boolean sick = step.removal().reason() == Removal.Reason.SICK;
            if (sick) {
                // Without the taint, evicted pods might come back. A broken machine has no deadline.
                cluster.cordon(node, step.removal());
            } else {
                // Other writers change such a node at the same time. A conflict must not delay the evictions.
                steps.attempt("cordon of node " + node, () -> cluster.cordon(node, step.removal()));
            }
            reporter.node(
                    node,
                    EventRecorder.Type.WARNING,
                    sick ? "MachineSick" : "ReclaimAnnounced",
                    "%s: the node takes no new pods, and its pods are evicted".formatted(verdict.reason()));
            evict(verdict.node(), step.eviction(), now, clock);
        } else if (verdict.step() instanceof Verdict.Evict step) {
            evict(verdict.node(), step, now, clock);
        } else if (verdict.step() instanceof Verdict.Delete) {
            // The kubelet is gone. The evictions inform the pods' controllers at once. Otherwise the controllers would
            // learn of the loss only when Kubernetes gives up the node.
            verdict.node().trainingPods().stream()
                    .filter(pod -> !pod.terminating())
                    .forEach(pod -> steps.attempt("eviction of pod " + pod, () -> {
                        if (cluster.evict(pod, Optional.empty()) && verdict.state() == NodeState.EVICTED) {
                            count(verdict.node(), pod, now);
                        }
                    }));
            cluster.delete(node, uids.getOrDefault(node, ""));
            reporter.node(node, EventRecorder.Type.NORMAL, "Removed", verdict.reason());
        }
    }

    /** Evicts pods. If one eviction fails, the other pods are still evicted. */
    private void evict(NodeView node, Verdict.Evict eviction, Instant now, Supplier<Instant> clock) {
        var refused = new ArrayList<PodOnNode>();
        for (var pod : eviction.pods()) {
            steps.attempt("eviction of pod " + pod, () -> {
                refused.add(pod);
                // The machines of a gang's other members stay, so these pods have their whole grace period.
                var grace = node.reclaim().flatMap(notice -> eviction.grace(pod, clock.get()));
                if (cluster.evict(pod, grace)) {
                    refused.remove(pod);
                    if (eviction.reclaim().isPresent()) {
                        count(node, pod, now);
                    }
                    reporter.node(
                            node.name(),
                            EventRecorder.Type.NORMAL,
                            "Draining",
                            "pod %s is being evicted%s".formatted(pod, node.stays() ? " with its gang" : ""));
                }
            });
        }
        if (!refused.isEmpty()) {
            var refusals = Refusals.after(node.marks().refusals(), now);
            cluster.annotate(
                    node.name(), Map.of(ScalerAnnotations.EVICTIONS_REFUSED, Optional.of(refusals.toString())));
            reporter.node(
                    node.name(),
                    EventRecorder.Type.NORMAL,
                    "Draining",
                    refused.size() == 1
                            ? "pod %s cannot be evicted yet".formatted(refused.get(0))
                            : "%d pods cannot be evicted yet, such as %s".formatted(refused.size(), refused.get(0)));
        } else if (node.marks().refusals().isPresent()) {
            cluster.annotate(node.name(), Map.of(ScalerAnnotations.EVICTIONS_REFUSED, Optional.empty()));
        }
    }

    /** Counts a reclaimed pod once: a watch may show the pod's end only later, and a dry run evicts nothing. */
    private void count(NodeView node, PodOnNode pod, Instant now) {
        if (reclaimed.add(pod.uid())) {
            metrics.reclaimed(node, pod, now);
            jobs.note(pod, now);
        }
    }

    private void uncordon(NodeView node, Instant now) {
        cluster.uncordon(node.name(), node.trainingPods().isEmpty() ? Optional.of(now) : Optional.empty());
    }

    /**
     * Checks at the API server that the node has no pods left, then marks the node as terminating. A node that is marked already is checked
     * again, since the mark may be old or set by another writer. As long as the machine exists, pods on it can be saved.
     *
     * @return whether the machine may be terminated
     */
    private boolean clear(Verdict verdict, Instant now) {
        var node = verdict.node();
        // A stuck pod does not prevent the termination of a Ready node. If the termination has begun already, the same
        // holds for a node that is no longer Ready.
        boolean countsStuck = node.ready() || node.terminating();
        var staying = PodOnNode.asOf(now, countsStuck, cluster.podsOn(node.name())).stream()
                .filter(PodOnNode::keepsNodeBusy)
                .filter(pod -> !(isDead(node) && pod.isLostUnheard(now)))
                .toList();
        if (!staying.isEmpty()) {
            if (node.terminating() && !staying.stream().allMatch(PodOnNode::terminating)) {
                cluster.uncordon(node.name(), Optional.empty());
            }
            reporter.node(
                    node.name(),
                    EventRecorder.Type.NORMAL,
                    "Kept",
                    "pod %s is still on the node".formatted(staying.get(0)));
            return false;
        }
        if (!node.terminating()) {
            cluster.annotate(node.name(), Map.of(ScalerAnnotations.TERMINATING, Optional.of(now.toString())));
            reporter.node(
                    node.name(),
                    EventRecorder.Type.NORMAL,
                    "Terminating",
                    "the cloud is asked to terminate its machine: " + verdict.reason());
        }
        return true;
    }

    private void terminate(Pool pool, List<Machine> machines) {
        try {
            clouds.terminate(pool, machines);
        } catch (ProviderException e) {
            reporter.notTerminated(
                    pool.name(),
                    "%s could not be terminated (trying again): %s: %s"
                            .formatted(
                                    machines.size() == 1
                                            ? "machine " + machines.get(0).id()
                                            : machines.size() + " machines",
                                    e.kind(),
                                    e.words()));
        }
    }

    private static boolean isDead(NodeView node) {
        return !node.ready()
                && node.marks()
                        .removal()
                        .filter(removal -> removal.reason() == Removal.Reason.DEAD)
                        .isPresent();
    }

    private static String poolName(NodeView node) {
        return node.pool().map(Pool::name).orElse("");
    }
}
