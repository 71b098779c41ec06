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

/** Pools, tiers and the settings of the cluster from YAML or JSON files, for running without a cluster. Read once. */
public final class FileConfiguration implements ConfigurationSource {

    private final Catalogue catalogue;

    private FileConfiguration(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Reads {@code path}, a file or a directory of them; other kinds of object in them are passed over.
     *
     * @throws ResourceFileException for a file that cannot be read
     */
    public static FileConfiguration read(Path path) {
        return of(ResourceFiles.read(path));
    }

    /**
     * The pools, tiers and settings among {@code files}. One that is not of the kind that it names, or has the name of one
     * before it, is among the {@linkplain Catalogue#problems problems}.
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

    /** These, whatever files say. */
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

    /** Never runs it: files are read once. */
    @Override
    public void onChange(Runnable listener) {}

    @Override
    public void close() {}
}
