package dev.trainyard.simulation.cluster;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A {@link Cluster} whose requests may fail. */
record DisturbedCluster(Cluster cluster, Interference interference) implements Cluster {

    private <T> T request(String what, Supplier<T> request) {
        interference.beforeRequest(what);
        var answer = request.get();
        interference.afterRequest(what);
        return answer;
    }

    private void request(String what, Runnable request) {
        request(what, () -> {
            request.run();
            return what;
        });
    }

    /** Returns the view from memory, which cannot fail. */
    @Override
    public View view() {
        return cluster.view();
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        request("annotate " + node, () -> cluster.annotate(node, annotations));
    }

    @Override
    public void label(String node, Map<String, String> labels) {
        request("label " + node, () -> cluster.label(node, labels));
    }

    @Override
    public void cordon(String node, Removal removal) {
        request("cordon " + node, () -> cluster.cordon(node, removal));
    }

    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {
        request("uncordon " + node, () -> cluster.uncordon(node, idleSince));
    }

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {
        request("annotate pod " + pod, () -> cluster.annotate(pod, annotations));
    }

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {
        request("nominate pod " + pod, () -> cluster.nominate(pod, node));
    }

    @Override
    public void removeGate(PendingPod pod) {
        request("remove gate of pod " + pod, () -> cluster.removeGate(pod));
    }

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        return request("evict " + pod, () -> cluster.evict(pod, grace));
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return request("pods on " + node, () -> cluster.podsOn(node));
    }

    @Override
    public void delete(String node, String uid) {
        request("delete node " + node, () -> cluster.delete(node, uid));
    }

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {
        request("status of pool " + pool.getMetadata().getName(), () -> cluster.status(pool, status));
    }

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {
        request("status of tier " + tier.getMetadata().getName(), () -> cluster.status(tier, status));
    }
}
