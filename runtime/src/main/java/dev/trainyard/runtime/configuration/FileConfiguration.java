package dev.trainyard.runtime.configuration;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import java.nio.file.Path;
import java.util.HashMap;

/** Pools and tiers from YAML or JSON files, for running without a cluster. Read once. */
public final class FileConfiguration implements ConfigurationSource {

    private final Catalogue catalogue;

    private FileConfiguration(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Reads {@code path}, a file or a directory of them; other kinds of object in them are passed over.
     *
     * @throws ResourceFileException for a file that cannot be read, an object that is no TrainingPool or TrainingTier though it says so,
     *     or two of one name
     */
    public static FileConfiguration read(Path path) {
        return of(ResourceFiles.read(path));
    }

    /** The pools and tiers among {@code files}. */
    public static FileConfiguration of(ResourceFiles files) {
        var pools = new HashMap<String, TrainingPoolSpec>();
        files.ofKind(TrainingPool.class)
                .forEach(pool -> pools.put(pool.getMetadata().getName(), pool.getSpec()));
        var tiers = new HashMap<String, TrainingTierSpec>();
        files.ofKind(TrainingTier.class)
                .forEach(tier -> tiers.put(tier.getMetadata().getName(), tier.getSpec()));
        return new FileConfiguration(Catalogue.of(pools, tiers));
    }

    @Override
    public Catalogue current() {
        return catalogue;
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    /** Never runs it: files are read once. */
    @Override
    public void onChange(Runnable listener) {}

    @Override
    public void close() {}
}
