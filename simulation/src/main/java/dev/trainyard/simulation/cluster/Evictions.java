package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pod.Selector;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The Eviction API, and the controller that calculates how many disruptions each budget allows. */
public final class Evictions {

    private static final Duration UNTIL_NOTICED = Duration.ofMillis(20);

    private final VirtualTime time;
    private final ApiServer server;
    private boolean due;

    public Evictions(VirtualTime time, ApiServer server) {
        this.time = time;
        this.server = server;
    }

    /**
     * Evicts a pod. The pod gets the condition that tells its controller of the disruption.
     *
     * @param grace a grace period that replaces the pod's own; empty for the pod's own
     * @return false if a budget does not allow the eviction now
     */
    public boolean evict(String key, String uid, Optional<Duration> grace) {
        var pod = server.pods().get(key).orElse(null);
        if (pod == null || !pod.getMetadata().getUid().equals(uid)) {
            throw new ApiException(ApiException.NOT_FOUND, "pod " + key + " not found");
        }
        if (Pods.leaves(pod) || Pods.ended(pod)) {
            delete(key);
            return true;
        }
        if (isHeld(pod)) {
            return false;
        }
        delete(key, before -> Pods.disrupted(before, "EvictionByEvictionAPI", server.now()), grace);
        return true;
    }

    /** Whether a budget forbids the eviction of the pod now. */
    public boolean isHeld(Pod pod) {
        return server.budgets().all().stream().anyMatch(budget -> covers(budget, pod) && allowed(budget) < 1);
    }

    /** Deletes a pod as {@code kubectl delete pod} does, with its grace period. */
    public void delete(String key) {
        delete(key, before -> before, Optional.empty());
    }

    private void delete(String key, UnaryOperator<Pod> change, Optional<Duration> grace) {
        server.pods().get(key).filter(pod -> !Pods.leaves(pod)).ifPresent(pod -> {
            if (Pods.node(pod).isEmpty() || Pods.ended(pod)) {
                server.pods().remove(key);
                return;
            }
            server.pods()
                    .change(
                            key,
                            null,
                            before -> Pods.leaving(
                                    change.apply(before), time.instant(), grace.orElseGet(() -> Pods.grace(before))));
        });
    }

    /** Makes {@link #reckon} run a moment after each change of pods or budgets, as Kubernetes' disruption controller does. */
    void reckonByItself(Lag lag) {
        server.pods().inform(lag).tell(new Seen<>());
        server.budgets().inform(lag).tell(new Seen<>());
    }

    private void reckonSoon() {
        if (!due) {
            due = true;
            time.after(UNTIL_NOTICED, () -> {
                due = false;
                reckon();
            });
        }
    }

    /** Updates the allowed disruptions in the status of every budget. */
    public void reckon() {
        for (var budget : List.copyOf(server.budgets().all())) {
            int allowed = allowed(budget);
            server.budgets()
                    .change(
                            ObjectStore.key(budget),
                            null,
                            before -> new PodDisruptionBudgetBuilder(before)
                                    .editOrNewStatus()
                                    .withDisruptionsAllowed(allowed)
                                    .endStatus()
                                    .build());
        }
    }

    /** Returns how many of the pods that the budget covers may be evicted now. */
    public int allowed(PodDisruptionBudget budget) {
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
        return Math.max(0, healthy - Math.max(0, needed));
    }

    private static int number(io.fabric8.kubernetes.api.model.IntOrString value, int of) {
        if (value.getIntVal() != null) {
            return value.getIntVal();
        }
        var text = value.getStrVal().replace("%", "").strip();
        return (int) Math.ceil(of * Integer.parseInt(text) / 100.0);
    }

    /** Whether the budget covers the pod. */
    public static boolean covers(PodDisruptionBudget budget, Pod pod) {
        var labels = Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
        return budget.getMetadata().getNamespace().equals(pod.getMetadata().getNamespace())
                && Selector.of(budget.getSpec().getSelector()).matches(labels);
    }

    private final class Seen<T> implements Watch<T> {
        @Override
        public void added(T object) {
            reckonSoon();
        }

        @Override
        public void changed(T before, T after) {
            reckonSoon();
        }

        @Override
        public void removed(T last) {
            reckonSoon();
        }
    }
}
