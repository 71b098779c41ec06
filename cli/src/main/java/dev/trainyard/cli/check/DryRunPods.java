package dev.trainyard.cli.check;

import dev.trainyard.cli.check.DryRunPod.Expected;
import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A creator of trial pods with {@code dryRun=All}. The API server admits them like all other pods and calls its webhooks, but stores
 * nothing. The API server uses its own network and the current {@code caBundle}, so the trials show whether the API server can call the
 * webhook.
 */
final class DryRunPods {

    /**
     * The largest number of trials with a named tier, one for each tier. At most two trials are added: a pod that gets a default tier, and
     * a pod that the webhook must leave alone.
     */
    private static final int MOST = 10;

    /** An unknown tier, which Trainyard's webhook refuses and other webhooks ignore. */
    private static final String NO_TIER = "trainyard-check-no-such-tier";

    private final KubernetesClient client;
    private final CheckedInstallation setting;

    private DryRunPods(KubernetesClient client, CheckedInstallation setting) {
        this.client = client;
        this.setting = setting;
    }

    static CompletableFuture<List<DryRunPod>> start(
            KubernetesClient client,
            CheckedInstallation setting,
            Probes probes,
            CompletableFuture<ReadResult<List<TrainingPool>>> pools,
            CompletableFuture<ReadResult<List<TrainingTier>>> tiers) {
        var trials = new DryRunPods(client, setting);
        return pools.thenCombine(tiers, DryRunPods::usable)
                .thenCompose(usable -> {
                    var begun = new ArrayList<CompletableFuture<DryRunPod>>();
                    usable.stream()
                            .limit(MOST)
                            .forEach(tier -> begun.add(
                                    trials.begin(probes, tier.name(), Expected.COMPLETED, asksForGpus(tier) ? 1 : 0)));
                    if (usable.isEmpty()) {
                        begun.add(trials.begin(probes, NO_TIER, Expected.REFUSED, 0));
                    }
                    usable.stream()
                            .flatMap(tier -> tier.defaultGpus().stream())
                            .findFirst()
                            .ifPresent(range ->
                                    begun.add(trials.begin(probes, "", Expected.COMPLETED, Math.max(1, range.min()))));
                    begun.add(trials.begin(probes, "", Expected.LEFT_ALONE, 0));
                    return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
                            .thenApply(done ->
                                    begun.stream().map(CompletableFuture::join).toList());
                })
                .exceptionally(e -> List.of(
                        new DryRunPod("", Expected.COMPLETED, new DryRunPod.NotTried("pools and tiers are invalid"))));
    }

    private static List<Tier> usable(ReadResult<List<TrainingPool>> pools, ReadResult<List<TrainingTier>> tiers) {
        return pools.value().isEmpty() || tiers.value().isEmpty()
                ? List.of()
                : Catalogues.of(pools.value().get(), tiers.value().get()).tiers().values().stream()
                        .filter(tier -> !tier.pools().isEmpty())
                        .toList();
    }

    private static boolean asksForGpus(Tier tier) {
        return tier.pools().stream().allMatch(pool -> pool.promisedGpus() > 0);
    }

    private CompletableFuture<DryRunPod> begin(Probes probes, String tier, Expected expected, long gpus) {
        return probes.start(() -> create(tier, gpus))
                .thenApply(part -> new DryRunPod(
                        tier, expected, part.value().orElseGet(() -> new DryRunPod.NotTried(part.problem()))));
    }

    private DryRunPod.Outcome create(String tier, long gpus) {
        try {
            var created = client.pods()
                    .inNamespace(setting.podNamespace())
                    .resource(pod(tier, gpus))
                    .dryRun(true)
                    .create();
            return new DryRunPod.Created(
                    Optional.ofNullable(created.getMetadata().getAnnotations())
                            .orElse(Map.of())
                            .getOrDefault(Names.INJECTED, ""));
        } catch (KubernetesClientException e) {
            return e.getCode() > 0 && ClusterErrors.missingRight(e).isEmpty()
                    ? new DryRunPod.Refused(ClusterErrors.message(e))
                    : new DryRunPod.NotTried(ClusterErrors.problem(e));
        }
    }

    /** Returns a pod that satisfies the restricted Pod Security Standard. */
    private Pod pod(String tier, long gpus) {
        var amounts = gpus > 0
                ? Map.of("cpu", new Quantity("1m"), ResourceNames.GPU, new Quantity(String.valueOf(gpus)))
                : Map.of("cpu", new Quantity("1m"));
        return new PodBuilder()
                .withNewMetadata()
                .withGenerateName("trainyard-check-")
                .withNamespace(setting.podNamespace())
                .addToAnnotations(tier.isEmpty() ? Map.of() : Map.of(Names.TIER, tier))
                .addToAnnotations(Names.INJECT, "true") // overrides a namespace that turns the webhook off
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withAutomountServiceAccountToken(false)
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .addNewContainer()
                .withName("trial")
                .withImage("trial")
                .withNewResources()
                .withRequests(amounts)
                .withLimits(amounts)
                .endResources()
                .withNewSecurityContext()
                .withAllowPrivilegeEscalation(false)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .endSecurityContext()
                .endContainer()
                .endSpec()
                .build();
    }
}
