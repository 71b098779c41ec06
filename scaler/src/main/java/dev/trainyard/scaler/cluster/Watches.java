package dev.trainyard.scaler.cluster;

import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.runtime.configuration.ClusterSettings;
import dev.trainyard.runtime.kubernetes.WatchedVersion;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.LimitDefaults;
import dev.trainyard.scaler.observe.Significance;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches on all objects that a round uses, with callbacks for relevant changes. Thread-safe. */
public final class Watches implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Watches.class);

    /** The index of nodes by the last part of their {@code spec.providerID}. */
    private static final String BY_MACHINE = "machine";

    private final SharedIndexInformer<Pod> pods;
    private final SharedIndexInformer<Node> nodes;
    private final SharedIndexInformer<DaemonSet> daemonSets;
    private final SharedIndexInformer<LimitRange> limitRanges;
    private final SharedIndexInformer<PodDisruptionBudget> budgets;
    private final SharedIndexInformer<TrainingPool> pools;
    private final SharedIndexInformer<TrainingTier> tiers;
    private final ClusterSettings settings;

    /**
     * Starts watching. Returns before the first objects have arrived.
     *
     * @param changed runs after a change that may matter to a round
     * @param demanded runs when a pod has become pending
     */
    public Watches(KubernetesClient client, MeterRegistry registry, Runnable changed, Runnable demanded) {
        pods = client.pods().inAnyNamespace().runnableInformer(0);
        nodes = client.nodes().runnableInformer(0);
        nodes.addIndexers(Map.of(BY_MACHINE, Watches::machineOf));
        daemonSets = client.apps().daemonSets().inAnyNamespace().runnableInformer(0);
        limitRanges = client.limitRanges().inAnyNamespace().runnableInformer(0);
        budgets = client.policy().v1().podDisruptionBudget().inAnyNamespace().runnableInformer(0);
        pools = client.resources(TrainingPool.class).runnableInformer(0);
        tiers = client.resources(TrainingTier.class).runnableInformer(0);
        pods.addEventHandler(new Demand(demanded));
        WatchedVersion.measure(pods, "pods", registry);
        WatchedVersion.measure(nodes, "nodes", registry);
        start("pods", pods, changed, Significance::hasNode, Significance::changesRoom);
        start("nodes", nodes, changed, node -> true, Significance::changesRoom);
        start("DaemonSets", daemonSets, changed, set -> true, Significance::specChanged);
        start(
                "LimitRanges",
                limitRanges,
                changed,
                range -> true,
                (before, after) -> !Objects.equals(before.getSpec(), after.getSpec()));
        start("PodDisruptionBudgets", budgets, changed, budget -> true, Significance::allowanceChanged);
        start("TrainingPools", pools, changed, pool -> true, Significance::specChanged);
        start("TrainingTiers", tiers, changed, tier -> true, Significance::specChanged);
        settings = ClusterSettings.watch(client, changed);
    }

    List<Pod> pods() {
        return pods.getStore().list();
    }

    /** Whether there are new pods that the scheduler has not tried yet, so that more pods may become pending soon. */
    public boolean demandToCome(Instant now) {
        return pods().stream().anyMatch(pod -> Significance.isDemandToCome(pod, now));
    }

    List<Node> nodes() {
        return nodes.getStore().list();
    }

    /**
     * Returns the node of a machine; empty if there is none.
     *
     * @param machine the last part of the node's {@code spec.providerID}
     */
    Optional<Node> nodeOf(String machine) {
        return nodes.getIndexer().byIndex(BY_MACHINE, machine).stream().findFirst();
    }

    private static List<String> machineOf(Node node) {
        return node.getSpec() == null
                ? List.of()
                : MachineNotice.machineOf(node.getSpec().getProviderID()).stream()
                        .toList();
    }

    /** Returns the DaemonSets with the default requests that LimitRanges will add to their pods at admission. */
    List<DaemonSet> daemonSets() {
        return LimitDefaults.admitted(
                daemonSets.getStore().list(), limitRanges.getStore().list());
    }

    List<PodDisruptionBudget> budgets() {
        return budgets.getStore().list();
    }

    List<TrainingPool> pools() {
        return pools.getStore().list();
    }

    List<TrainingTier> tiers() {
        return tiers.getStore().list();
    }

    List<TrainingCluster> settings() {
        return settings.all();
    }

    /**
     * Returns the kinds of objects that have not been listed yet, as text; empty if a round may run. LimitRanges are not required, since a
     * role from an older release does not allow the scaler to read them. Without them, at worst the first machine is too small.
     */
    public Optional<String> missing() {
        var missing = Map.of(
                        "pods",
                        pods,
                        "nodes",
                        nodes,
                        "DaemonSets",
                        daemonSets,
                        "PodDisruptionBudgets",
                        budgets,
                        "TrainingPools",
                        pools,
                        "TrainingTiers",
                        tiers)
                .entrySet()
                .stream()
                .filter(entry -> !entry.getValue().hasSynced())
                .map(Map.Entry::getKey)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            return Optional.of("not listed yet: " + missing);
        }
        return settings.isKnown() ? Optional.empty() : Optional.of("not listed yet: TrainingClusters");
    }

    @Override
    public void close() {
        List.of(pods, nodes, daemonSets, limitRanges, budgets, pools, tiers).forEach(SharedIndexInformer::stop);
        settings.close();
    }

    /** A handler for pods that become pending. */
    private record Demand(Runnable demanded) implements ResourceEventHandler<Pod> {
        @Override
        public void onAdd(Pod pod) {
            if (Significance.isDemand(pod)) {
                demanded.run();
            }
        }

        @Override
        public void onUpdate(Pod before, Pod after) {
            if (Significance.beginsToWait(before, after)) {
                demanded.run();
            }
        }

        @Override
        public void onDelete(Pod pod, boolean deletedFinalStateUnknown) {
            // No round is urgent, since the pod needs no machine any more.
        }
    }

    private static <T> void start(
            String what,
            SharedIndexInformer<T> informer,
            Runnable changed,
            Predicate<T> appearanceMatters,
            BiPredicate<T, T> changeMatters) {
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object) {
                if (appearanceMatters.test(object)) {
                    changed.run();
                }
            }

            @Override
            public void onUpdate(T before, T after) {
                if (changeMatters.test(before, after)) {
                    changed.run();
                }
            }

            @Override
            public void onDelete(T object, boolean deletedFinalStateUnknown) {
                if (appearanceMatters.test(object)) {
                    changed.run();
                }
            }
        });
        // An informer retries if it cannot list objects yet, as when the definition, the permission or the API server
        // is missing.
        informer.exceptionHandler((started, problem) -> {
            log.warn("watching {} failed, trying again: {}", what, String.valueOf(problem.getMessage()));
            return true;
        });
        informer.start().whenComplete((done, problem) -> changed.run());
    }
}
