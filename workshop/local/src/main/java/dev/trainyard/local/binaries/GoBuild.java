package dev.trainyard.local.binaries;

import dev.trainyard.local.process.LogTail;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.process.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A compilation of the pinned versions of the Go modules in {@code workshop/local/control-plane}. The first compilation takes some minutes.
 */
final class GoBuild implements BinaryProvider {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(45);
    /** The timeout of {@code go env}. An older Go may first download a newer one by itself; the timeout includes that download. */
    private static final Duration LONGEST_VERSION_CHECK = Duration.ofMinutes(5);

    private final GoCommand go;
    private final ProgressListener progress;

    GoBuild(Map<String, String> environment, ProgressListener progress) {
        this.go = new GoCommand(environment);
        this.progress = progress;
    }

    @Override
    public String name() {
        return "go build";
    }

    @Override
    public Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException {
        Optional<Path> command = go.find();
        if (command.isEmpty()) {
            return Optional.of(go.whyNone());
        }
        try (WorkDirectory directory =
                WorkDirectory.create(Path.of(System.getProperty("java.io.tmpdir")), "trainyard-go-build")) {
            Path work = directory.path();
            GoSources.copyTo(work);
            Optional<String> tooOld = checkVersion(command.get(), work);
            if (tooOld.isPresent()) {
                return tooOld;
            }
            Set<Binary> kubernetes = subset(missing, true);
            Set<Binary> others = subset(missing, false);
            Optional<String> failure = build(command.get(), work, version, version.goModule(), kubernetes, into);
            return failure.isPresent()
                    ? failure
                    : build(command.get(), work, version, KubernetesVersion.CURRENT.goModule(), others, into);
        }
    }

    private static Set<Binary> subset(Set<Binary> missing, boolean kubernetes) {
        return missing.stream()
                .filter(binary -> binary.isKubernetes() == kubernetes)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Binary.class)));
    }

    private Optional<String> checkVersion(Path command, Path work) throws IOException {
        Path log = work.resolve("version.log");
        Optional<String> failure = run(
                List.of(command.toString(), "-C", work.toString(), "env", "GOVERSION"),
                log,
                LONGEST_VERSION_CHECK,
                "Checking " + command);
        // Reads the last line only, because an older Go logs the download of a newer Go before the version.
        String found = String.join("", new LogTail(log, 0).lines(1));
        return failure.isEmpty() && GoCommand.isAtLeast(found, GoSources.goVersion())
                ? Optional.empty()
                : Optional.of("Go " + GoSources.goVersion() + " or newer is needed; " + command + " says: " + found);
    }

    private Optional<String> build(
            Path command, Path work, KubernetesVersion version, String module, Set<Binary> wanted, Path into)
            throws IOException {
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        Path output = Files.createDirectories(work.resolve("out"));
        List<String> arguments = new ArrayList<>(List.of(command.toString(), "-C", work.toString(), "build", "-v"));
        arguments.addAll(List.of("-trimpath", "-modfile=" + module, "-ldflags", linkerFlags(version)));
        arguments.addAll(List.of("-o", output + "/"));
        wanted.stream().map(Binary::goPackage).sorted().forEach(arguments::add);
        String title = "Compiling " + Binary.names(wanted) + " (Kubernetes " + version + "; once, some minutes)";
        Optional<String> failure = run(arguments, work.resolve("build.log"), LONGEST_BUILD, title);
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

    /** Runs a command, and returns why it failed; empty if the command succeeded. */
    private Optional<String> run(List<String> command, Path log, Duration longest, String title) {
        progress.step(title);
        long start = System.nanoTime();
        SupervisedProcess process =
                SupervisedProcess.start(new SupervisedProcess.Launch("go", command, Map.of("GOWORK", "off"), log));
        try {
            while (process.isAlive()) {
                Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
                if (elapsed.compareTo(longest) > 0) {
                    return Optional.of("go was stopped after " + longest.toMinutes() + " minutes, the limit");
                }
                waitASecond(process);
                String now = String.join("", process.log().lines(1));
                progress.still(
                        "%s: %d:%02d min, now %s".formatted(title, elapsed.toMinutes(), elapsed.toSecondsPart(), now));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        } finally {
            process.kill();
        }
        return process.exitCode().equals(OptionalInt.of(0))
                ? Optional.empty()
                : Optional.of("failed: " + String.join(" | ", process.log().lines(6)));
    }

    private static void waitASecond(SupervisedProcess process) throws InterruptedException {
        try {
            process.onExit().get(1, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The caller checks again.
        }
    }
}
