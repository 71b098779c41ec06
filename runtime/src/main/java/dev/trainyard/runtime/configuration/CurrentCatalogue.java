package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import java.util.Collection;
import java.util.List;

/** The {@link Catalogue} of objects that somebody reads again and again, made anew only when one of them has another spec. Not thread-safe. */
public final class CurrentCatalogue {

    private Catalogues.Specified specified = Catalogues.specified(List.of(), List.of(), List.of());
    private Catalogue catalogue = Catalogue.EMPTY;

    /** As {@link Catalogues#of(Collection, Collection, Collection)}. */
    public Catalogue of(
            Collection<TrainingPool> pools, Collection<TrainingTier> tiers, Collection<TrainingCluster> settings) {
        var now = Catalogues.specified(pools, tiers, settings);
        if (!now.isStill(specified)) {
            specified = now;
            catalogue = now.catalogue(List.of());
        }
        return catalogue;
    }
}
