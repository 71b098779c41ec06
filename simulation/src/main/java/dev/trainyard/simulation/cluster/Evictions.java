package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pod.PodSelector;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Eviction API, and the controller that reckons what disruption budgets allow. */
public final class Evictions {

    private final VirtualTime time;
    private final ApiServer server;

    public Evictions(VirtualTime time, ApiServer server) {
        this.time = time;
        this.server = server;
    }

    /** @return false when a budget does not allow it now */
    public boolean evict(String key, String uid) {
        var pod = server.pods().get(key).orElse(null);
        if (pod == null || !pod.getMetadata().getUid().equals(uid)) {
            throw new ApiException(ApiException.NOT_FOUND, "pod " + key + " not found");
        }
        if (Pods.leaves(pod) || Pods.ended(pod)) {
            delete(key);
            return true;
        }
        for (var budget : List.copyOf(server.budgets().all())) {
            if (covers(budget, pod) && allowed(budget) < 1) {
                return false;
            }
        }
        delete(key);
        return true;
    }

    /** As {@code kubectl delete pod}: it has its grace period. */
    public void delete(String key) {
        server.pods().get(key).filter(pod -> !Pods.leaves(pod)).ifPresent(pod -> {
            if (Pods.node(pod).isEmpty() || Pods.ended(pod)) {
                server.pods().remove(key);
                return;
            }
            server.pods()
                    .change(
                            key,
                            null,
                            before -> Pods.leaving(before, time.instant().plus(Pods.grace(before))));
        });
    }

    /** Writes into the status of every budget what it allows now. */
    public void reckon() {
        for (var budget : List.copyOf(server.budgets().all())) {
            int allowed = allowed(budget);
            server.budgets()
                    .change(
                            Shelf.key(budget),
                            null,
                            before -> new PodDisruptionBudgetBuilder(before)
                                    .editOrNewStatus()
                                    .withDisruptionsAllowed(allowed)
                                    .endStatus()
                                    .build());
        }
    }

    private int allowed(PodDisruptionBudget budget) {
        int expected = 0;
        int healthy = 0;
        for (var pod : server.pods().all()) {
            if (covers(budget, pod) && !Pods.ended(pod)) {
                expected++;
                healthy += "Running".equals(pod.getStatus().getPhase()) && !Pods.leaves(pod) ? 1 : 0;
            }
        }
        var spec = budget.getSpec();
        int needed = spec.getMinAvailable() != null
                ? number(spec.getMinAvailable(), expected)
                : expected - (spec.getMaxUnavailable() == null ? 0 : number(spec.getMaxUnavailable(), expected));
        return Math.max(0, healthy - needed);
    }

    private static int number(io.fabric8.kubernetes.api.model.IntOrString value, int of) {
        if (value.getIntVal() != null) {
            return value.getIntVal();
        }
        var text = value.getStrVal().replace("%", "").strip();
        return (int) Math.ceil(of * Integer.parseInt(text) / 100.0);
    }

    private static boolean covers(PodDisruptionBudget budget, Pod pod) {
        var labels = Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
        return budget.getMetadata().getNamespace().equals(pod.getMetadata().getNamespace())
                && PodSelector.of(budget.getSpec().getSelector())
                        .filter(selector -> selector.selects(labels))
                        .isPresent();
    }
}
