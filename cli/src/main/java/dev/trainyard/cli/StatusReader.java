package dev.trainyard.cli;

import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.LimitDefaults;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.ReclaimedLine;
import dev.trainyard.scaler.offline.Survey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A reader of a cluster's {@link ClusterStatus} that keeps the load on the API server low. */
final class StatusReader {

    /** The most objects in one response, as in kubectl. */
    private static final long PAGE = 500;

    private final KubernetesClient client;
    private final boolean again;

    private StatusReader(KubernetesClient client, boolean again) {
        this.client = client;
        this.again = again;
    }

    /** Returns a reader for a single status, which lists objects page by page. */
    static StatusReader once(KubernetesClient client) {
        return new StatusReader(client, false);
    }

    /** Returns a reader for repeated statuses. The API server answers from its cache instead of etcd, so a status may be slightly stale. */
    static StatusReader again(KubernetesClient client) {
        return new StatusReader(client, true);
    }

    /** @throws KubernetesClientException if the cluster cannot be reached, or the user may not read pods, nodes, pools or tiers */
    ClusterStatus read(Instant now) {
        var remarks = new ArrayList<String>();
        var pools = all(client.resources(TrainingPool.class));
        var tiers = all(client.resources(TrainingTier.class));
        var objects = new KubernetesObjects(
                all(client.pods().inAnyNamespace()),
                all(client.nodes()),
                LimitDefaults.admitted(
                        ifAllowed(
                                "DaemonSets",
                                () -> all(client.apps().daemonSets().inAnyNamespace()),
                                remarks),
                        ifAllowed("LimitRanges", () -> all(client.limitRanges().inAnyNamespace()), remarks)),
                ifAllowed(
                        "PodDisruptionBudgets",
                        () -> all(client.policy().v1().podDisruptionBudget().inAnyNamespace()),
                        remarks));
        var settings = ifAllowed("TrainingClusters", () -> all(client.resources(TrainingCluster.class)), remarks);
        return Survey.of(now, Catalogues.of(pools, tiers, settings), pools, objects, remarks)
                .withReclaimed(reclaimed(tiers));
    }

    private static List<ReclaimedLine> reclaimed(List<TrainingTier> tiers) {
        return tiers.stream()
                .sorted(Comparator.comparing(tier -> tier.getMetadata().getName()))
                .flatMap(tier -> Stream.ofNullable(tier.getStatus())
                        .flatMap(status -> Stream.ofNullable(status.reclaimedJobs()))
                        .flatMap(List::stream)
                        .map(job -> new ReclaimedLine(
                                tier.getMetadata().getName(),
                                job.kind(),
                                job.namespace() + "/" + job.name(),
                                job.times(),
                                job.gpuSeconds(),
                                job.last())))
                .toList();
    }

    private <T extends HasMetadata> List<T> all(Listable<? extends KubernetesResourceList<T>> kind) {
        if (again) {
            return kind.list(new ListOptionsBuilder().withResourceVersion("0").build())
                    .getItems();
        }
        var all = new ArrayList<T>();
        var next = "";
        do {
            var page = kind.list(new ListOptionsBuilder()
                    .withLimit(PAGE)
                    .withContinue(next.isEmpty() ? null : next)
                    .build());
            all.addAll(page.getItems());
            next = page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
        return all;
    }

    /**
     * Returns objects that only make the reported reasons more exact. If the API server refuses the request, returns none and adds a
     * remark.
     */
    private static <T> List<T> ifAllowed(String what, Supplier<List<T>> list, List<String> remarks) {
        try {
            return list.get();
        } catch (KubernetesClientException e) {
            if (e.getCode() <= 0) {
                throw e;
            }
            remarks.add("%s cannot be read, so the reasons in this report may be less exact".formatted(what));
            return List.of();
        }
    }
}
