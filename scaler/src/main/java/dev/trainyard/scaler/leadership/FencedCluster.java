package dev.trainyard.scaler.leadership;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A cluster that rejects every change with {@link NotLeading} if another scaler may lead by now.
 *
 * @param leads returns whether this process still leads; see {@link LeaseValidity#lasts}
 */
public record FencedCluster(Cluster real, BooleanSupplier leads) implements Cluster {

    static final String NOT_LEADING = "the Lease %s was not renewed for %d s: another scaler may lead by now"
            .formatted(Leadership.LEASE, LeaseValidity.RENEWED_WITHIN.toSeconds());

    @Override
    public View view() {
        return real.view();
    }

    @Override
    public void annotate(String node, Map<String, Optional<String>> annotations) {
        check();
        real.annotate(node, annotations);
    }

    @Override
    public void label(String node, Map<String, String> labels) {
        check();
        real.label(node, labels);
    }

    @Override
    public void cordon(String node, Removal removal) {
        check();
        real.cordon(node, removal);
    }

    @Override
    public void uncordon(String node, Optional<Instant> idleSince) {
        check();
        real.uncordon(node, idleSince);
    }

    @Override
    public void annotate(PodOnNode pod, Map<String, Optional<String>> annotations) {
        check();
        real.annotate(pod, annotations);
    }

    @Override
    public void nominate(PendingPod pod, Optional<String> node) {
        check();
        real.nominate(pod, node);
    }

    @Override
    public void removeGate(PendingPod pod) {
        check();
        real.removeGate(pod);
    }

    @Override
    public boolean evict(PodOnNode pod, Optional<Duration> grace) {
        check();
        return real.evict(pod, grace);
    }

    @Override
    public List<PodOnNode> podsOn(String node) {
        return real.podsOn(node);
    }

    @Override
    public void delete(String node, String uid) {
        check();
        real.delete(node, uid);
    }

    @Override
    public void status(TrainingPool pool, TrainingPoolStatus status) {
        check();
        real.status(pool, status);
    }

    @Override
    public void status(TrainingTier tier, TrainingTierStatus status) {
        check();
        real.status(tier, status);
    }

    private void check() {
        if (!leads.getAsBoolean()) {
            throw new NotLeading(NOT_LEADING);
        }
    }
}
