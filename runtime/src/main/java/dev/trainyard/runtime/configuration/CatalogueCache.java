package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import java.util.Collection;
import java.util.List;

/**
 * A cache of a {@link Catalogue}, for callers that pass the same objects repeatedly. The catalogue is rebuilt only if a spec or a reported
 * machine size has changed. Not thread-safe.
 */
public final class CatalogueCache {

    private Catalogues.Specified specified = Catalogues.specified(List.of(), List.of(), List.of());
    private Catalogue catalogue = Catalogue.EMPTY;

    /** Returns the catalogue of the objects, equal to the result of {@link Catalogues#of(Collection, Collection, Collection)}. */
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
