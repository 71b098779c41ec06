package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.function.BiConsumer;

/** The configuration from YAML or JSON files, for running without a cluster. The files are read once. */
public final class FileConfiguration implements ConfigurationSource {

    private final Catalogue catalogue;

    private FileConfiguration(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Reads {@code path}, a file or a directory of files. Objects other than pools, tiers and cluster settings are ignored.
     *
     * @throws ResourceFileException if a file cannot be read
     */
    public static FileConfiguration read(Path path) {
        return of(ResourceFiles.read(path));
    }

    /**
     * Returns the pools, tiers and settings of {@code files}. An invalid object, or an object with the name of an earlier object, is
     * reported in the {@linkplain Catalogue#problems problems}.
     */
    public static FileConfiguration of(ResourceFiles files) {
        var unreadable = new ArrayList<Problem>();
        BiConsumer<Document, String> broken = (document, problem) -> unreadable.add(
                new Problem(document.kind(), document.name(), "%s (%s)".formatted(problem, document.place())));
        var pools = files.ofKind(TrainingPool.class, broken);
        var tiers = files.ofKind(TrainingTier.class, broken);
        var settings = files.ofKind(TrainingCluster.class, broken);
        return new FileConfiguration(Catalogues.of(pools, tiers, settings, unreadable));
    }

    /** Returns a source of a fixed catalogue, without files. */
    public static FileConfiguration of(Catalogue catalogue) {
        return new FileConfiguration(catalogue);
    }

    @Override
    public Catalogue current() {
        return catalogue;
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    /** Never runs the listener, because files are read once. */
    @Override
    public void onChange(Runnable listener) {}

    @Override
    public void close() {}
}
