package dev.trainyard.extender.pod;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pool.Pool;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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
    private final boolean hasTier;
    private final Map<String, Integer> places;

    private TieredPod(PodFacts facts, boolean hasTier, Map<String, Integer> places) {
        this.facts = facts;
        this.podClass = facts.podClass();
        this.hasTier = hasTier;
        this.places = places;
    }

    public static TieredPod of(PodFacts facts, Catalogue catalogue) {
        var tier = Optional.ofNullable(facts.shape().tier())
                .map(name -> catalogue.tiers().get(name));
        var places = new HashMap<String, Integer>();
        tier.ifPresent(found -> found.pools().forEach(pool -> places.put(pool.name(), places.size())));
        return new TieredPod(facts, tier.isPresent(), places);
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

    /** Whether its tier names the pool. */
    public boolean isFor(@Nullable Pool pool) {
        return pool != null && places.containsKey(pool.name());
    }

    /** Whether it has a tier and the tier does not name the pool. */
    public boolean isBarredFrom(Pool pool) {
        return hasTier && !isFor(pool);
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
