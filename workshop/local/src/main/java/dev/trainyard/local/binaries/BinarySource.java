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
 * Finds the programs of a control plane. In this order: a directory that an environment variable names, the user cache,
 * and then, filling the cache, the official releases, a compilation with Go, and for etcd alone the one on the PATH.
 */
public final class BinarySource {
    /** Environment: a directory with all binaries. */
    public static final String CONTROL_PLANE = "TRAINYARD_CONTROL_PLANE";
    /** Environment: the same, as tests of other Kubernetes projects know it. */
    public static final String KUBEBUILDER_ASSETS = "KUBEBUILDER_ASSETS";
    /** Environment: address of a mirror to download from, or {@code none}. */
    public static final String DOWNLOAD_BASE = "TRAINYARD_DOWNLOAD_BASE";

    private final Map<String, String> environment;
    private final BinaryCache cache;
    private final List<Supply> supplies;

    BinarySource(Map<String, String> environment, BinaryCache cache, List<Supply> supplies) {
        this.environment = Map.copyOf(environment);
        this.cache = cache;
        this.supplies = List.copyOf(supplies);
    }

    /** The chain for this machine, user and environment. */
    public static BinarySource standard(ProgressListener progress) {
        Map<String, String> environment = System.getenv();
        Platform platform = Platform.current();
        return new BinarySource(
                environment,
                new BinaryCache(BinaryCache.directory(environment), platform, progress),
                List.of(
                        new Downloads(DownloadBase.from(environment.get(DOWNLOAD_BASE)), platform, progress),
                        new GoBuild(environment, progress),
                        new EtcdOnPath(environment)));
    }

    /**
     * Returns binaries of this version, after getting them when need be, which may take minutes.
     *
     * @throws BinariesUnavailableException when there is no way to get them
     * @throws java.io.UncheckedIOException when the cache cannot be read or written
     */
    public ControlPlaneBinaries find(KubernetesVersion version) {
        List<Attempt> attempts = new ArrayList<>();
        for (String variable : List.of(CONTROL_PLANE, KUBEBUILDER_ASSETS)) {
            String value = environment.getOrDefault(variable, "");
            Optional<String> whyNot =
                    value.isBlank() ? Optional.of("not set") : GivenDirectory.whyNot(Path.of(value), version);
            if (whyNot.isEmpty()) {
                return new ControlPlaneBinaries(Path.of(value).toAbsolutePath(), version, variable);
            }
            attempts.add(new Attempt(variable, whyNot.get()));
        }
        return cache.getOrFill(version, directory -> fill(version, directory, attempts));
    }

    private void fill(KubernetesVersion version, Path directory, List<Attempt> attempts) throws IOException {
        attempts.add(new Attempt("user cache", "not in " + cache.location(version)));
        for (Supply supply : supplies) {
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
