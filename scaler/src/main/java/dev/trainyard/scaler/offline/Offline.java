package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.lifecycle.SpotReturns;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.LimitDefaults;
import dev.trainyard.scaler.observe.ProgressMemory;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A dry run of a round on objects from files. The dry run uses the same code as a scaler in a cluster. Only the answers of the API server,
 * the scheduler and the clouds are assumed. A pure function of the files and the time.
 */
public final class Offline {

    private final PlanRemarks remarks;
    private final ResourceFiles files;
    private final Instant now;

    private Offline(ResourceFiles files, Instant now) {
        this.remarks = new PlanRemarks(files);
        this.files = Defaults.of(files, remarks);
        this.now = now;
    }

    /**
     * Returns a function that reduces an object to the parts that {@link #propose} needs. The function may change the object, and is not
     * thread-safe. Use one function for all files of a proposal.
     *
     * @see ResourceFiles#readAll(java.nio.file.Path, UnaryOperator)
     */
    public static UnaryOperator<JsonNode> needed() {
        return new ObjectFilter();
    }

    /**
     * Returns the actions that a round would take. Malformed objects are left out, and are listed among the proposal's problems.
     *
     * @param priorityCutoff the lowest pod priority for which machines are requested
     */
    public static Proposal propose(ResourceFiles files, OfflineAdmission admission, Instant now, int priorityCutoff) {
        return new Offline(files, now).propose(admission, priorityCutoff);
    }

    private Proposal propose(OfflineAdmission admission, int priorityCutoff) {
        var namespaces = files.ofKind(Namespace.class, remarks::broken).stream()
                .collect(Collectors.toMap(
                        namespace -> namespace.getMetadata().getName(), Offline::labels, (first, second) -> second));
        var catalogue = FileConfiguration.of(files).current();
        catalogue.problems().forEach(problem -> remarks.broken(problem.kind(), "", problem.name(), problem.message()));
        var pods = OfflinePods.of(files, admission, catalogue, now, remarks);
        var nodes = OfflineNodes.of(files, catalogue, pods.pods(), now, remarks);
        var pools = files.ofKind(TrainingPool.class, (document, problem) -> {});
        var objects = new KubernetesObjects(
                pods.pods(),
                nodes,
                LimitDefaults.admitted(
                        files.ofKind(DaemonSet.class, remarks::broken),
                        files.ofKind(LimitRange.class, remarks::broken)),
                OfflineBudgets.of(files, pods.pods(), remarks),
                namespace -> Optional.ofNullable(namespaces.get(namespace)),
                OfflineGangObjects.of(files));
        var readings = OfflineClouds.read(catalogue, pools, nodes, now);
        var read = new SnapshotReader(Names.NAMESPACE).read(now, catalogue, objects, readings, ledgers(pools));
        var observed = SpotReturns.begin(new ProgressMemory(System::nanoTime).on(read, pods.pods()));
        observed.deadlines()
                .invalid()
                .forEach(pod -> remarks.broken(pod.kind(), pod.namespace(), pod.name(), pod.message()));
        observed.unreadable()
                .forEach(object -> remarks.broken(object.kind(), object.namespace(), object.name(), object.message()));
        var plan = Planner.plan(observed, Map.of(), priorityCutoff);
        var after = plan.staged(after(observed, plan));
        var verdicts = Lifecycle.judge(after, plan.reserved());
        return new Findings(observed, after, plan, verdicts)
                .proposal(unusable(catalogue, pools), pods.refused(), remarks);
    }

    private static Map<String, String> labels(Namespace namespace) {
        var labels = namespace.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    /** Returns the snapshot after the plan, on the assumption that the clouds accept all requests. */
    private static Snapshot after(Snapshot observed, Plan plan) {
        var after = observed;
        for (var withdrawal : plan.withdrawals()) {
            var pool = after.pools().get(withdrawal.pool().name());
            after = pool == null ? after : after.with(pool.withTarget(withdrawal.to()));
        }
        for (var growth : plan.growths()) {
            var pool = after.pools().get(growth.pool().name());
            after = pool == null ? after : after.with(pool.withTarget(growth.to()));
        }
        return after;
    }

    private static Map<String, PoolLedger> ledgers(List<TrainingPool> pools) {
        var ledgers = new HashMap<String, PoolLedger>();
        pools.forEach(pool -> ledgers.put(pool.getMetadata().getName(), LedgerStatus.read(pool.getStatus())));
        return ledgers;
    }

    /** Returns the sizes of the invalid pools by name: the number of machines that the cloud was asked to keep. */
    private Map<String, Integer> unusable(Catalogue catalogue, List<TrainingPool> read) {
        var targets = new HashMap<String, Integer>();
        files.documents().stream()
                .filter(document -> document.kind().equals("TrainingPool")
                        && !document.name().isEmpty()
                        && !catalogue.pools().containsKey(document.name()))
                .forEach(document -> targets.put(
                        document.name(), document.object().at("/status/target").asInt()));
        read.stream()
                .filter(pool -> targets.containsKey(pool.getMetadata().getName()))
                .forEach(pool -> targets.put(pool.getMetadata().getName(), OfflineClouds.target(pool, 0)));
        return targets;
    }
}
