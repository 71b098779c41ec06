package dev.trainyard.extender.pod;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod that the scheduler asks about, with the order of the pools in the pod's tier. Immutable.
 *
 * <p>A pod whose tier is not in the catalogue is treated as a pod without a tier. The webhook refuses unknown tiers, but a tier may be
 * deleted while its pods are pending.
 */
public final class TieredPod {

    private final PodFacts facts;
    private final PodClass podClass;
    private final PlacementPolicy policy;
    private final @Nullable Tier tier;

    private TieredPod(PodFacts facts, PlacementPolicy policy, @Nullable Tier tier) {
        this.facts = facts;
        this.podClass = facts.podClass();
        this.policy = policy;
        this.tier = tier;
    }

    public static TieredPod of(PodFacts facts, Catalogue catalogue) {
        var tier = facts.shape().tier();
        return new TieredPod(
                facts,
                catalogue.policy(),
                tier == null ? null : catalogue.tiers().get(tier));
    }

    public PodFacts facts() {
        return facts;
    }

    public PodClass podClass() {
        return podClass;
    }

    /** Whether the pod requests whole GPUs, which the scheduler counts. */
    public boolean requestsGpus() {
        return facts.shape().gpus() > 0;
    }

    /**
     * Returns whether the pod may use a node, by the placement policy of the catalogue.
     *
     * @param pool the node's pool; null if none
     */
    public Access access(@Nullable Pool pool, boolean reportsGpus) {
        return policy.access(facts.shape(), Optional.ofNullable(pool), reportsGpus);
    }

    /** Whether the pod has a tier that lacks one of {@code pools}. A tier whose own pools are all invalid lacks every pool. */
    public boolean mayBeOutside(Set<String> pools) {
        return tier != null && !tier.ranks().keySet().containsAll(pools);
    }

    /** Whether the pod may use nodes that are kept for GPU pods, if no other node is left. */
    public boolean hasLastResort() {
        return policy.hasLastResort();
    }

    /** Returns the last rank, for nodes without room for the pod. It is after all ranks that {@link #preference} returns. */
    public int last() {
        return outside() + 1;
    }

    /**
     * Returns the pool's rank in the tier, 0 = preferred. A node without a pool, or of a pool outside the tier, ranks after the tier's
     * pools.
     */
    public int preference(@Nullable Pool pool) {
        return pool == null || tier == null ? outside() : tier.rank(pool.name());
    }

    private int outside() {
        return tier == null ? 0 : tier.pools().size();
    }
}
