package dev.trainyard.cli.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the parsers of external input withstand any input. The normal build runs the seeds, and each seed cut off at some places. The
 * full run lets Jazzer mutate the seeds for some seconds per parser. Each input that Jazzer finds becomes a seed.
 */
class FuzzTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path SEEDS = ROOT.resolve("cli/src/test/resources/fuzz");
    private static final int SECONDS = Integer.getInteger("trainyard.fuzz.seconds", 4);

    /** The random seed, so that each run of the same code has the same inputs until its time ends. */
    private static final int SEED = Integer.getInteger("trainyard.fuzz.seed", 1);

    /** The time allowed for the start of a process on a busy machine. */
    private static final int START_SECONDS = 300;

    private static final int AT_A_TIME = 2;

    private static final int CUTS = 50;

    static Stream<Class<?>> targets() {
        return FuzzTargets.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void everySeedIsReadOrRefused(Class<?> target) throws Exception {
        var call = target.getMethod("fuzzerTestOneInput", byte[].class);
        var seeds = seeds(target);
        assertThat(seeds).isNotEmpty();
        for (var seed : seeds) {
            var whole = Files.readAllBytes(seed);
            call.invoke(null, (Object) whole);
            for (int cut = 0; cut < Math.min(CUTS, whole.length); cut++) {
                call.invoke(null, (Object) Arrays.copyOf(whole, whole.length * cut / CUTS));
            }
        }
    }

    @Test
    @Tag("slow")
    void nothingThatJazzerMakesOfTheSeedsIsAFault() throws Exception {
        var threads = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            var faults = threads.invokeAll(targets()
                    .map(target -> (Callable<String>) () -> fuzz(target))
                    .toList());
            for (var fault : faults) {
                assertThat(fault.get()).isEmpty();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Runs Jazzer, and returns the problem; empty if there is none. */
    private static String fuzz(Class<?> target) throws IOException, InterruptedException {
        var directory = ROOT.resolve("cli/target/fuzz").resolve(target.getSimpleName());
        var corpus = Files.createDirectories(directory.resolve("corpus"));
        var log = directory.resolve("jazzer.log");
        var seeds = SEEDS.resolve(target.getSimpleName());
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-Dtrainyard.root=" + ROOT,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + target.getName(),
                        "--instrumentation_includes=dev.trainyard.**",
                        "--custom_hook_includes=dev.trainyard.**", // Jazzer's hooks break Netty
                        "--reproducer_path=" + directory,
                        "-artifact_prefix=" + directory + "/",
                        "-max_total_time=" + SECONDS,
                        "-seed=" + SEED,
                        "-max_len=65536",
                        "-timeout=60",
                        "-rss_limit_mb=0",
                        "-use_value_profile=1",
                        corpus.toString(),
                        seeds.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(START_SECONDS + (long) SECONDS, TimeUnit.SECONDS)) {
                return "Jazzer did not end; its log is " + log;
            }
            var lines = Files.readAllLines(log);
            return process.exitValue() == 0 && lines.stream().anyMatch(line -> line.startsWith("Done "))
                    ? ""
                    : "a fault: put the file crash-... of %s into %s, then fix it. Jazzer's last words:\n%s"
                            .formatted(
                                    directory,
                                    seeds,
                                    String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size())));
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<Path> seeds(Class<?> target) throws IOException {
        try (var files = Files.list(SEEDS.resolve(target.getSimpleName()))) {
            return files.sorted().toList();
        }
    }
}
