package dev.trainyard.runtime.configuration;

import dev.trainyard.core.api.TrainingClusterSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.ReportedSizes;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Factory methods for a {@link Catalogue} from the custom resources. */
public final class Catalogues {

    private Catalogues() {}

    /** Creates a catalogue with the default settings of the cluster. Objects without a spec and terminating objects are ignored. */
    public static Catalogue of(Collection<TrainingPool> pools, Collection<TrainingTier> tiers) {
        return of(pools, tiers, List.of());
    }

    /** Creates a catalogue. Objects without a spec and terminating objects are ignored. */
    public static Catalogue of(
            Collection<TrainingPool> pools, Collection<TrainingTier> tiers, Collection<TrainingCluster> settings) {
        return of(pools, tiers, settings, List.of());
    }

    static Catalogue of(
            Collection<TrainingPool> pools,
            Collection<TrainingTier> tiers,
            Collection<TrainingCluster> settings,
            List<Problem> unreadable) {
        return specified(pools, tiers, settings).catalogue(unreadable);
    }

    /** The parts of the objects that a catalogue depends on. */
    record Specified(
            Map<String, TrainingPoolSpec> pools,
            Map<String, TrainingTierSpec> tiers,
            Map<String, TrainingClusterSpec> settings,
            List<MachineSize> told) {

        Catalogue catalogue(List<Problem> unreadable) {
            var problems = new ArrayList<>(unreadable);
            settings.keySet().stream()
                    .filter(name -> !name.equals(TrainingCluster.NAME))
                    .sorted()
                    .forEach(name -> problems.add(new Problem(
                            "TrainingCluster",
                            name,
                            "metadata.name: only the object named '%s' is read; rename this one or delete it"
                                    .formatted(TrainingCluster.NAME))));
            var catalogue = Catalogue.of(pools, tiers, problems, ReportedSizes.of(told));
            return Optional.ofNullable(settings.get(TrainingCluster.NAME))
                    .map(spec -> catalogue.with(TrainingCluster.NAME, spec))
                    .orElse(catalogue);
        }

        /**
         * Whether the specs are still the same instances, and the reported machine sizes are equal. Specs are not compared with
         * {@code equals}, because that method throws an exception if a spec has a malformed quantity.
         */
        boolean isStill(Specified before) {
            return areSame(pools, before.pools)
                    && areSame(tiers, before.tiers)
                    && areSame(settings, before.settings)
                    && told.equals(before.told);
        }

        @SuppressWarnings("ReferenceEquality")
        private static <T> boolean areSame(Map<String, T> now, Map<String, T> before) {
            return now.size() == before.size()
                    && now.entrySet().stream().allMatch(entry -> entry.getValue() == before.get(entry.getKey()));
        }
    }

    static Specified specified(
            Collection<TrainingPool> pools, Collection<TrainingTier> tiers, Collection<TrainingCluster> settings) {
        var told = pools.stream()
                .filter(pool -> pool.getSpec() != null)
                .map(pool -> ReportedSizes.read(pool.getSpec(), pool.getStatus()))
                .flatMap(Optional::stream)
                .toList();
        return new Specified(specs(pools), specs(tiers), specs(settings), told);
    }

    private static <S> Map<String, S> specs(Collection<? extends CustomResource<S, ?>> objects) {
        var specs = new HashMap<String, S>();
        objects.stream()
                .filter(object -> object.getSpec() != null && stays(object))
                .forEach(object -> specs.put(object.getMetadata().getName(), object.getSpec()));
        return specs;
    }

    private static boolean stays(HasMetadata object) {
        return object.getMetadata().getDeletionTimestamp() == null;
    }
}
