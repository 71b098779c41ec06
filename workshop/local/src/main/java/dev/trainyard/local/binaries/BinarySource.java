package dev.trainyard.local.binaries;

import dev.trainyard.local.binaries.BinariesUnavailableException.Attempt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A search for the programs of a control plane. The first source is a directory from an environment variable, the second is the user cache.
 * A missing cache entry is filled from the official releases, else by a compilation with Go. If only etcd is still missing, the etcd on the
 * PATH is copied.
 */
public final class BinarySource {
    /** Environment variable: a directory with all binaries. */
    public static final String CONTROL_PLANE = "TRAINYARD_CONTROL_PLANE";
    /** Environment variable that tests of other Kubernetes projects also use: a directory with all binaries. */
    public static final String KUBEBUILDER_ASSETS = "KUBEBUILDER_ASSETS";
    /** Environment variable: address of a download mirror, or {@code none} to turn downloads off. */
    public static final String DOWNLOAD_BASE = "TRAINYARD_DOWNLOAD_BASE";

    private final Map<String, String> environment;
    private final BinaryCache cache;
    private final List<BinaryProvider> supplies;

    BinarySource(Map<String, String> environment, BinaryCache cache, List<BinaryProvider> supplies) {
        this.environment = Map.copyOf(environment);
        this.cache = cache;
        this.supplies = List.copyOf(supplies);
    }

    /** Returns a search in the sources for this machine, user and environment. */
    public static BinarySource standard(ProgressListener progress) {
        Map<String, String> environment = System.getenv();
        Platform platform = Platform.current();
        return new BinarySource(
                environment,
                new BinaryCache(BinaryCache.directory(environment, "control-plane"), platform, progress),
                List.of(
                        new Downloads(DownloadBase.from(environment.get(DOWNLOAD_BASE)), platform, progress),
                        new GoBuild(environment, progress),
                        new EtcdOnPath(environment)));
    }

    /**
     * Returns binaries of this version. Downloads or compiles them if necessary, which may take minutes.
     *
     * @throws BinariesUnavailableException if no source provides them
     * @throws java.io.UncheckedIOException if the cache cannot be read or written
     */
    public ControlPlaneBinaries find(KubernetesVersion version) {
        List<Attempt> attempts = new ArrayList<>();
        for (String variable : List.of(CONTROL_PLANE, KUBEBUILDER_ASSETS)) {
            String value = environment.getOrDefault(variable, "");
            Optional<String> whyNot = value.isBlank()
                    ? Optional.of("not set")
                    : ConfiguredBinaryDirectory.whyNot(Path.of(value), version);
            if (whyNot.isEmpty()) {
                return new ControlPlaneBinaries(Path.of(value).toAbsolutePath(), version, variable);
            }
            attempts.add(new Attempt(variable, whyNot.get()));
        }
        return cache.getOrFill(version, directory -> fill(version, directory, attempts));
    }

    private void fill(KubernetesVersion version, Path directory, List<Attempt> attempts) throws IOException {
        attempts.add(new Attempt("user cache", "not in " + cache.location(version)));
        for (BinaryProvider supply : supplies) {
            Set<Binary> missing = ControlPlaneBinaries.missingIn(directory);
            if (missing.isEmpty()) {
                return;
            }
            supply.supply(version, missing, directory)
                    .ifPresent(whyNot -> attempts.add(new Attempt(supply.name(), whyNot)));
        }
        Set<Binary> missing = ControlPlaneBinaries.missingIn(directory);
        if (!missing.isEmpty()) {
            throw new BinariesUnavailableException(version, missing, attempts);
        }
    }
}
