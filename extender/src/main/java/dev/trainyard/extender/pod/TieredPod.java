package dev.trainyard.extender.pod;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.pool.Pool;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pod that the scheduler asks about, with its tier's order of pools at hand for a question per node. Immutable.
 *
 * <p>A tier that the catalogue does not know says nothing about pools: such a pod is treated as one without a tier, since the
 * webhook has refused unknown names already and a tier may be deleted while pods of it wait.
 */
public final class TieredPod {

    private final PodFacts facts;
    private final PodClass podClass;
    private final PlacementPolicy policy;
    private final boolean hasTier;
    private final Map<String, Integer> places;

    private TieredPod(PodFacts facts, PlacementPolicy policy, boolean hasTier, Map<String, Integer> places) {
        this.facts = facts;
        this.podClass = facts.podClass();
        this.policy = policy;
        this.hasTier = hasTier;
        this.places = places;
    }

    public static TieredPod of(PodFacts facts, Catalogue catalogue) {
        var tier = Optional.ofNullable(facts.shape().tier())
                .map(name -> catalogue.tiers().get(name));
        var places = new HashMap<String, Integer>();
        tier.ifPresent(found -> found.pools().forEach(pool -> places.put(pool.name(), places.size())));
        return new TieredPod(facts, catalogue.policy(), tier.isPresent(), places);
    }

    public PodFacts facts() {
        return facts;
    }

    public PodClass podClass() {
        return podClass;
    }

    /** Whether the scheduler counts GPUs for it. */
    public boolean requestsGpus() {
        return facts.shape().gpus() > 0;
    }

    /**
     * Whether it may use a node, as the policy of the catalogue says.
     *
     * @param pool the node's; null when none
     */
    public Access access(@Nullable Pool pool, boolean reportsGpus) {
        return policy.access(facts.shape(), Optional.ofNullable(pool), reportsGpus);
    }

    /** Whether its tier leaves out one of these pools, as one does whose own pools are all invalid. */
    public boolean mayBeOutside(Set<String> pools) {
        return hasTier && !places.keySet().containsAll(pools);
    }

    /** Whether it may use nodes that are kept for GPU pods when there is no other. */
    public boolean hasLastResort() {
        return policy.hasLastResort();
    }

    /** A place after all that {@link #preference} gives. */
    public int last() {
        return places.size() + 1;
    }

    /** Place in the tier's order of preference, 0 = first; nodes of no pool, or of one that is not in it, come after all others. */
    public int preference(@Nullable Pool pool) {
        return pool == null ? places.size() : places.getOrDefault(pool.name(), places.size());
    }
}
