package dev.trainyard.scaler.loop;

import dev.trainyard.core.api.TrainingTierStatus.ReclaimedJobStatus;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PodOwner;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Jobs that lose pods to reclaims. Their numbers are in the statuses of their tiers, so they survive a restart. A reclaim is lost if the
 * process ends between an eviction and the write of the status.
 */
final class ReclaimedJobs {

    /** The most Jobs in the status of a tier. */
    static final int MOST = 20;

    /** The newest Job is first. */
    private static final Comparator<ReclaimedJobStatus> NEWEST_FIRST = Comparator.comparing(ReclaimedJobStatus::last)
            .reversed()
            .thenComparing(ReclaimedJobStatus::namespace)
            .thenComparing(ReclaimedJobStatus::kind)
            .thenComparing(ReclaimedJobStatus::name)
            .thenComparing(ReclaimedJobStatus::uid);

    /**
     * Running pods of a Job that were evicted because of reclaims.
     *
     * @param pods the number of pods
     * @param gpuSeconds time since these pods had got their nodes, for each of their GPUs
     * @param at when the last pod was evicted
     */
    record Reclaim(PodOwner owner, int pods, long gpuSeconds, Instant at) {

        Reclaim plus(Reclaim later) {
            return new Reclaim(owner, pods + later.pods, gpuSeconds + later.gpuSeconds, later.at);
        }
    }

    /** The reclaims of each tier: at most {@link #MOST} Jobs, since the status has no more. The newest Job is last. */
    private final Map<String, Map<PodOwner, Reclaim>> unwritten = new TreeMap<>();

    private Collection<Pod> pods = List.of();

    /** The owners of {@link #pods} by UID; null until an owner is looked up, which most rounds do not. */
    private @Nullable Map<String, PodOwner> owners;

    /** Begins a round. */
    void begin(Collection<Pod> all) {
        pods = all;
        owners = null;
    }

    /** Returns the owner of a pod of this round; empty if the pod has no controller. */
    Optional<PodOwner> owner(PodOnNode pod) {
        if (owners == null) {
            owners = new HashMap<>();
            for (var each : pods) {
                var owner = PodOwner.of(each);
                if (owner.isPresent()) {
                    owners.put(String.valueOf(each.getMetadata().getUid()), owner.get());
                }
            }
        }
        return Optional.ofNullable(owners.get(pod.uid()));
    }

    /** Notes an evicted pod. A pod without a tier or a controller belongs to no Job. */
    void note(PodOnNode pod, Instant now) {
        var tier = pod.shape().map(PodShape::tier).orElse(null);
        var owner = owner(pod).orElse(null);
        if (tier != null && owner != null && pod.started()) {
            var ofTier = unwritten.computeIfAbsent(tier, name -> new LinkedHashMap<>());
            var reclaim = new Reclaim(owner, 1, pod.gpuSeconds(now), now);
            var before = ofTier.remove(owner);
            ofTier.put(owner, before == null ? reclaim : before.plus(reclaim));
            if (ofTier.size() > MOST) {
                ofTier.remove(ofTier.keySet().iterator().next());
            }
        }
    }

    /** Returns the reclaims that are not in the statuses of their tiers yet, by the tier's name. */
    Map<String, List<Reclaim>> unwritten() {
        var lists = new TreeMap<String, List<Reclaim>>();
        unwritten.forEach((tier, reclaims) -> lists.put(tier, List.copyOf(reclaims.values())));
        return lists;
    }

    /** Forgets the reclaims of a tier, since its status has them or the tier does not exist. */
    void written(String tier) {
        unwritten.remove(tier);
    }

    /**
     * Returns the Jobs of a tier after these reclaims, at most {@link #MOST}.
     *
     * @param before the Jobs before; a malformed one is left out
     */
    static List<ReclaimedJobStatus> after(@Nullable List<ReclaimedJobStatus> before, List<Reclaim> reclaims) {
        var jobs = new LinkedHashMap<PodOwner, ReclaimedJobStatus>();
        wellFormed(before).forEach(job -> jobs.put(owner(job), job));
        for (var reclaim : reclaims) {
            var owner = reclaim.owner();
            jobs.merge(
                    owner,
                    new ReclaimedJobStatus(
                            owner.namespace(),
                            owner.kind(),
                            owner.name(),
                            owner.uid(),
                            reclaim.pods(),
                            reclaim.gpuSeconds(),
                            reclaim.at().truncatedTo(ChronoUnit.SECONDS).toString()),
                    (old, one) -> new ReclaimedJobStatus(
                            old.namespace(),
                            old.kind(),
                            old.name(),
                            old.uid(),
                            old.times() + one.times(),
                            old.gpuSeconds() + one.gpuSeconds(),
                            one.last()));
        }
        return jobs.values().stream().sorted(NEWEST_FIRST).limit(MOST).toList();
    }

    /** Returns how many pods the Jobs in the statuses of tiers have lost. */
    static Map<PodOwner, Integer> times(Collection<TrainingTier> tiers) {
        var times = new HashMap<PodOwner, Integer>();
        tiers.stream()
                .flatMap(tier -> Stream.ofNullable(tier.getStatus()))
                .flatMap(status -> wellFormed(status.reclaimedJobs()))
                .forEach(job -> times.merge(owner(job), job.times(), Math::max));
        return times;
    }

    private static Stream<ReclaimedJobStatus> wellFormed(@Nullable List<ReclaimedJobStatus> jobs) {
        return Optional.ofNullable(jobs).orElse(List.of()).stream()
                .filter(job -> Stream.of(job.namespace(), job.kind(), job.name(), job.uid(), job.last())
                        .allMatch(text -> text != null));
    }

    private static PodOwner owner(ReclaimedJobStatus job) {
        return new PodOwner(job.namespace(), job.kind(), job.name(), job.uid());
    }
}
