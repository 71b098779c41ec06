package dev.trainyard.local.binaries;

import dev.trainyard.local.process.WorkDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A Go program of the workshop, compiled once into the user's cache. */
public final class GoProgram {

    private final String name;
    private final SortedMap<String, byte[]> sources;
    private final Path file;
    private final GoCompiler go;

    GoProgram(String name, Map<String, byte[]> sources, Map<String, String> environment, ProgressListener progress) {
        this.name = name;
        this.sources = new TreeMap<>(sources);
        this.file = BinaryCache.directory(environment, name)
                .resolve(Platform.current() + "-" + digest(this.sources))
                .resolve(name);
        this.go = new GoCompiler(environment, progress);
    }

    /**
     * Returns a program for this machine, user and environment.
     *
     * @param name name of the program and of its directory in the cache
     * @param sources the files of a Go module by name, go.mod and go.sum included; the module's root is the program
     */
    public static GoProgram of(String name, Map<String, byte[]> sources, ProgressListener progress) {
        return new GoProgram(name, sources, System.getenv(), progress);
    }

    /** Returns the program's file, which exists after {@link #supply}. A changed source changes the file. */
    public Path file() {
        return file;
    }

    private static String digest(SortedMap<String, byte[]> sources) {
        MessageDigest digest = Sha256.newDigest();
        sources.forEach((name, content) -> {
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            digest.update(content);
        });
        return Sha256.hex(digest).substring(0, 12);
    }

    /**
     * Compiles the program unless it is in the cache.
     *
     * @return why the program cannot be compiled; empty if it is in the cache
     */
    public Optional<String> supply() {
        if (Files.isExecutable(file)) {
            return Optional.empty();
        }
        try (WorkDirectory work =
                WorkDirectory.create(Path.of(System.getProperty("java.io.tmpdir")), "trainyard-" + name)) {
            for (var source : sources.entrySet()) {
                Files.write(work.path().resolve(source.getKey()), source.getValue());
            }
            Optional<String> unusable = go.whyUnusable(work.path());
            if (unusable.isPresent()) {
                return unusable;
            }
            Path built = work.path().resolve("out");
            Optional<String> failure = go.build(
                    work.path(),
                    List.of("-ldflags", "-s -w", "-o", built.toString(), "."),
                    "Compiling the Go program " + name + " (once, about a minute)");
            if (failure.isEmpty()) {
                keep(built);
            }
            return failure;
        } catch (IOException e) {
            return Optional.of("the Go program %s cannot be compiled into %s: %s".formatted(name, file, e));
        }
    }

    /** Moves the file beside its final place first, because an atomic move from another disk is impossible. */
    private void keep(Path built) throws IOException {
        Path copy = Files.createTempFile(Files.createDirectories(file.getParent()), name, ".new");
        Files.move(built, copy, StandardCopyOption.REPLACE_EXISTING);
        Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
