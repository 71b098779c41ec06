package dev.trainyard.local.binaries;

import dev.trainyard.local.process.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A compilation of the pinned versions of the Go modules in {@code workshop/local/control-plane}. The first compilation takes some minutes.
 */
final class GoBuild implements BinaryProvider {
    private final GoCompiler go;

    GoBuild(Map<String, String> environment, ProgressListener progress) {
        this.go = new GoCompiler(environment, progress);
    }

    @Override
    public String name() {
        return "go build";
    }

    @Override
    public Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException {
        try (WorkDirectory directory =
                WorkDirectory.create(Path.of(System.getProperty("java.io.tmpdir")), "trainyard-go-build")) {
            Path work = directory.path();
            GoSources.copyTo(work);
            Optional<String> unusable = go.whyUnusable(work);
            if (unusable.isPresent()) {
                return unusable;
            }
            Set<Binary> kubernetes = subset(missing, true);
            Set<Binary> others = subset(missing, false);
            Optional<String> failure = build(work, version, version.goModule(), kubernetes, into);
            return failure.isPresent()
                    ? failure
                    : build(work, version, KubernetesVersion.CURRENT.goModule(), others, into);
        }
    }

    private static Set<Binary> subset(Set<Binary> missing, boolean kubernetes) {
        return missing.stream()
                .filter(binary -> binary.isKubernetes() == kubernetes)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Binary.class)));
    }

    private Optional<String> build(Path work, KubernetesVersion version, String module, Set<Binary> wanted, Path into)
            throws IOException {
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        Path output = Files.createDirectories(work.resolve("out"));
        List<String> arguments = new ArrayList<>(List.of("-modfile=" + module, "-ldflags", linkerFlags(version)));
        arguments.addAll(List.of("-o", output + "/"));
        wanted.stream().map(Binary::goPackage).sorted().forEach(arguments::add);
        String title = "Compiling " + Binary.names(wanted) + " (Kubernetes " + version + "; once, some minutes)";
        Optional<String> failure = go.build(work, arguments, title);
        if (failure.isPresent()) {
            return failure;
        }
        for (Binary binary : wanted) {
            // Moves the file beside its final place first, because an atomic move from another disk is impossible.
            Path copy = into.resolve(binary.fileName() + ".new");
            Files.move(output.resolve(binary.goOutput()), copy, StandardCopyOption.REPLACE_EXISTING);
            Files.move(copy, into.resolve(binary.fileName()), StandardCopyOption.ATOMIC_MOVE);
        }
        return Optional.empty();
    }

    /**
     * Returns linker flags that set the version in the binaries, as in the official build. Without these flags, the version is
     * v0.0.0-master.
     */
    private static String linkerFlags(KubernetesVersion version) {
        StringBuilder flags = new StringBuilder("-s -w");
        for (String place : List.of("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")) {
            String minor = version.minor();
            flags.append(" -X ").append(place).append(".gitVersion=v").append(version.full());
            flags.append(" -X ").append(place).append(".gitMajor=").append(minor, 0, minor.indexOf('.'));
            flags.append(" -X ").append(place).append(".gitMinor=").append(minor.substring(minor.indexOf('.') + 1));
        }
        return flags.toString();
    }
}
