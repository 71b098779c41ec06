package dev.trainyard.runtime.configuration;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.ToldSizes;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes a {@link Catalogue} of the objects that pools and tiers are. */
public final class Catalogues {

    private Catalogues() {}

    /** Objects without a spec, and those that are being deleted, are passed over. */
    public static Catalogue of(Collection<TrainingPool> pools, Collection<TrainingTier> tiers) {
        return of(pools, tiers, List.of());
    }

    static Catalogue of(Collection<TrainingPool> pools, Collection<TrainingTier> tiers, List<Problem> unreadable) {
        return specified(pools, tiers).catalogue(unreadable);
    }

    /** What of objects a catalogue depends on. */
    record Specified(Map<String, TrainingPoolSpec> pools, Map<String, TrainingTierSpec> tiers, List<MachineSize> told) {

        Catalogue catalogue(List<Problem> unreadable) {
            return Catalogue.of(pools, tiers, unreadable, ToldSizes.of(told));
        }

        /** Whether the specs are the same objects: of those that are malformed nobody can tell whether they are equal. */
        boolean isStill(Specified before) {
            return areSame(pools, before.pools) && areSame(tiers, before.tiers) && told.equals(before.told);
        }

        @SuppressWarnings("ReferenceEquality")
        private static <T> boolean areSame(Map<String, T> now, Map<String, T> before) {
            return now.size() == before.size()
                    && now.entrySet().stream().allMatch(entry -> entry.getValue() == before.get(entry.getKey()));
        }
    }

    static Specified specified(Collection<TrainingPool> pools, Collection<TrainingTier> tiers) {
        var poolSpecs = new HashMap<String, TrainingPoolSpec>();
        pools.stream()
                .filter(pool -> pool.getSpec() != null && stays(pool))
                .forEach(pool -> poolSpecs.put(pool.getMetadata().getName(), pool.getSpec()));
        var tierSpecs = new HashMap<String, TrainingTierSpec>();
        tiers.stream()
                .filter(tier -> tier.getSpec() != null && stays(tier))
                .forEach(tier -> tierSpecs.put(tier.getMetadata().getName(), tier.getSpec()));
        var told = pools.stream()
                .filter(pool -> pool.getSpec() != null)
                .map(pool -> ToldSizes.read(pool.getSpec(), pool.getStatus()))
                .flatMap(Optional::stream)
                .toList();
        return new Specified(poolSpecs, tierSpecs, told);
    }

    private static boolean stays(HasMetadata object) {
        return object.getMetadata().getDeletionTimestamp() == null;
    }
}
