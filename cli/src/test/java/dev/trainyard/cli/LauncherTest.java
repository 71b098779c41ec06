package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the launcher with fakes of Maven and Java. */
class LauncherTest {

    private static final Path LAUNCHER = Path.of(System.getProperty("trainyard.root"), "trainyard");

    /** A fake of Java that starts but is never ready, with a child. Writes the process IDs of both to a file. */
    private static final String JAVA_THAT_HANGS = """
            #!/bin/sh
            case $1 in -version) echo 'openjdk version "17.0.1"' >&2; exit ;; esac
            sleep 300 &
            echo "$$ $!" >"$TMPDIR/pid.new" && mv "$TMPDIR/pid.new" "$TMPDIR/pid"
            wait
            """;

    private static final String JAVA_THAT_IS_READY = """
            #!/bin/sh
            case "$*" in
              -version) echo 'openjdk version "17.0.1"' >&2 ;;
              *ArchiveClassesAtExit* | *AOTCacheOutput*)
                root=$(dirname "$TMPDIR")
                [ ! -e "$root/workshop/cli/target/.built" ] || touch "$root/too-early"
                for option; do
                  case $option in *AtExit=* | *CacheOutput=*) echo >"${option#*=}" ;; esac
                done
                echo 'webhook ready on x' ;;
              *) echo "ran with $*" ;;
            esac
            """;

    @TempDir
    private Path root;

    private Path scratch;

    @BeforeEach
    void aCheckoutWithoutABuild() throws IOException, InterruptedException {
        for (var name : new String[] {
            "bin",
            "jdk/bin",
            "cli/target",
            "cli/src/main",
            "image/target",
            "manifests",
            "workshop/cli/target",
            "workshop/cli/src/main",
            "workshop/local/control-plane"
        }) {
            Files.createDirectories(root.resolve(name));
        }
        scratch = Files.createDirectory(root.resolve("tmp"));
        program("trainyard", Files.readString(LAUNCHER).replace("/usr/lib/jvm/*", root.resolve("jvm") + "/*"));
        Files.createFile(root.resolve("pom.xml"));
        Files.createFile(root.resolve("cli/pom.xml"));
        Files.createFile(root.resolve("workshop/cli/pom.xml"));
        program("bin/mvn", maven("17.0.1", root.resolve("jdk")));
        program("jdk/bin/javac", "#!/bin/sh\n");
    }

    @Test
    @Timeout(60)
    void whenItIsEndedWhileItMakesTheArchiveNothingIsLeft() throws Exception {
        program("jdk/bin/java", JAVA_THAT_HANGS);
        var launcher = start();
        var pid = scratch.resolve("pid");
        while (!Files.exists(pid)) {
            if (!launcher.isAlive()) {
                throw new AssertionError("the launcher ended: "
                        + new String(launcher.getInputStream().readAllBytes(), UTF_8));
            }
            Thread.onSpinWait();
        }
        var processes = Arrays.stream(Files.readString(pid).strip().split(" "))
                .map(Long::valueOf)
                .map(id -> ProcessHandle.of(id).orElseThrow())
                .toList();

        launcher.destroy();
        launcher.waitFor();

        for (var process : processes) {
            process.onExit().get();
        }
        assertThat(root.resolve("workshop/cli/target")).isDirectoryNotContaining("glob:**trainyard*");
        assertThat(root.resolve("target/.building")).doesNotExist();
        assertThat(root.resolve("workshop/cli/target/.built")).doesNotExist();
    }

    @Test
    @Timeout(60)
    void theBuildIsDoneOnlyWhenItsArchiveIs() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        var launcher = start();

        var output = new String(launcher.getInputStream().readAllBytes(), UTF_8);

        assertThat(launcher.waitFor()).isZero();
        assertThat(output).contains("ran with");
        assertThat(root.resolve("too-early")).doesNotExist();
        assertThat(root.resolve("workshop/cli/target/.built")).exists();
        assertThat(scratch).isEmptyDirectory();
    }

    /** From Java 25 on there is an AOT cache; -XX:AOTCache and -XX:SharedArchiveFile exclude each other. */
    @ParameterizedTest
    @CsvSource({
        "17.0.1, trainyard.jsa, -XX:SharedArchiveFile=, -XX:AOTCache=",
        "25.0.3, trainyard.aot, -XX:AOTCache=,          -XX:SharedArchiveFile="
    })
    @Timeout(60)
    void startsWithWhatItsJavaReleaseCanKeep(String version, String file, String option, String other)
            throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY.replace("17.0.1", version));

        var launcher = start();

        assertThat(new String(launcher.getInputStream().readAllBytes(), UTF_8))
                .contains(option + root.toRealPath().resolve("workshop/cli/target/" + file))
                .doesNotContain(other);
    }

    /** The version of the PATH's Java, that of the installed JDK 25, and which of both runs. */
    @ParameterizedTest
    @CsvSource({
        "17.0.1, 25.0.3,                                 installed",
        "11.0.1, 25.0.3,                                 installed",
        "       , 25.0.3,                                 installed",
        "25.0.1, 25.0.3,                                 path",
        "26,     25.0.3,                                 path",
        "17.0.1, no version since it does not run here, path",
        "17.0.1, 21.0.1,                                 path"
    })
    @Timeout(60)
    void prefersInstalled25ToOlderJavaOfThePath(String ofThePath, String installed, String expected) throws Exception {
        java("bin/java", ofThePath == null ? "none" : ofThePath, "path");
        java("jvm/25/bin/java", installed, "installed");
        program("jvm/25/bin/javac", "#!/bin/sh\n");
        Files.writeString(root.resolve("jvm/25/release"), "JAVA_VERSION=\"25.0.3\"\n");

        var launcher = builder(root.resolve("trainyard"), "--version");
        launcher.environment().remove("JAVA_HOME");

        assertThat(new String(launcher.start().getInputStream().readAllBytes(), UTF_8))
                .contains("ran by " + expected);
    }

    /** Maven chooses its Java itself, which can be another one than the launcher's. */
    @ParameterizedTest
    @CsvSource({
        "17.0.1,    jdk, ran with",
        "17.0.1,    jre, a Java runtime without a compiler",
        "11.0.1,    jdk, Maven runs on Java 11",
        "1.8.0_402, jdk, Maven runs on Java 8"
    })
    @Timeout(60)
    void checksTheCompilerThatMavenUses(String version, String home, String expected) throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        program("bin/mvn", maven(version, root.resolve(home)));

        assertThat(new String(start().getInputStream().readAllBytes(), UTF_8)).contains(expected);
    }

    @Test
    @Timeout(60)
    void saysWhyMavenDoesNotRun() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        program("bin/mvn", "#!/bin/sh\necho 'no JAVA_HOME' >&2\nexit 1\n");

        assertThat(new String(start().getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("trainyard: Maven does not run, and Trainyard is not built yet: no JAVA_HOME\n"
                        + "trainyard: Install a JDK 17 or newer, or set JAVA_HOME to one.\n");
    }

    @ParameterizedTest
    @CsvSource({"17.0.1, 25.0.3, trainyard.aot", "25.0.3, 17.0.1, trainyard.jsa"})
    @Timeout(60)
    void recordsTheCacheThatAnotherJdkLacks(String first, String second, String file) throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY.replace("17.0.1", first));
        start().waitFor();
        program("jdk/bin/java", JAVA_THAT_IS_READY.replace("17.0.1", second));

        assertThat(new String(start().getInputStream().readAllBytes(), UTF_8))
                .contains("Recording a start", "/workshop/cli/target/" + file)
                .doesNotContain("Building");
        assertThat(new String(start().getInputStream().readAllBytes(), UTF_8)).startsWith("ran with");
    }

    private static String maven(String java, Path home) {
        return """
                #!/bin/sh
                echo 'Apache Maven 3.9.0'
                echo 'Java version: %s, vendor: Debian, runtime: %s'
                """.formatted(java, home);
    }

    private void java(String name, String version, String mark) throws IOException, InterruptedException {
        Files.createDirectories(root.resolve(name).getParent());
        program(name, JAVA_THAT_IS_READY.replace("17.0.1", version).replace("ran with", "ran by " + mark + " with"));
    }

    @Test
    @Timeout(60)
    void runsOtherCommandsAfterTheBuildOfTheImageFailed() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        start("--version").waitFor();
        program("bin/mvn", maven("17.0.1", root.resolve("jdk")) + """
                [ "$1" != -v ] || exit 0
                echo "$@" >>"$TMPDIR/../built"
                exit 1
                """);

        var image = start("image");

        assertThat(new String(image.getInputStream().readAllBytes(), UTF_8)).contains("the build failed");
        assertThat(image.waitFor()).isEqualTo(1);
        assertThat(root.resolve("target/.building")).doesNotExist();
        assertThat(start("--version").waitFor()).isZero();
        assertThat(root.resolve("built"))
                .content()
                .contains("-Dcyclonedx.skip=false -pl image")
                .hasLineCount(1);
    }

    @Test
    @Timeout(60)
    void rebuildsAfterAChangeInTheWorkshop() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        start("--version").waitFor();
        Files.setLastModifiedTime(
                root.resolve("workshop/cli/target/.built"), FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));

        var launcher = start("--version");

        assertThat(new String(launcher.getInputStream().readAllBytes(), UTF_8)).contains("Building Trainyard");
    }

    @Test
    @Timeout(60)
    void releaseRunsItsJarsWithoutMaven() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        Files.delete(root.resolve("pom.xml"));
        Files.delete(root.resolve("bin/mvn"));
        Files.createDirectory(root.resolve("lib"));
        var link = Files.createSymbolicLink(scratch.resolve("trainyard"), root.resolve("trainyard"));

        var launcher = start(link, "--version");

        assertThat(new String(launcher.getInputStream().readAllBytes(), UTF_8))
                .startsWith("ran with")
                .contains("-cp %1$s/lib/trainyard-cli.jar:%1$s/lib/* ".formatted(root.toRealPath()))
                .doesNotContain("Building");
        assertThat(launcher.waitFor()).isZero();
    }

    @Test
    @Timeout(60)
    void releaseRefusesToBuildAnImage() throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        Files.delete(root.resolve("pom.xml"));
        Files.createDirectory(root.resolve("lib"));

        var launcher = start("image");

        assertThat(new String(launcher.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("trainyard: The image is built in a checkout. This is a release: its image is in a registry"
                        + " (docs/installing.md).\n");
        assertThat(launcher.waitFor()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "bench"})
    @Timeout(60)
    void releaseSaysWhereCommandsOfTheWorkshopRun(String command) throws Exception {
        program("jdk/bin/java", JAVA_THAT_IS_READY);
        Files.delete(root.resolve("pom.xml"));
        Files.createDirectory(root.resolve("lib"));

        var launcher = start(command);

        assertThat(new String(launcher.getInputStream().readAllBytes(), UTF_8))
                .contains("%s is not part of a release".formatted(command), "./trainyard " + command);
        assertThat(launcher.waitFor()).isEqualTo(1);
    }

    private Process start() throws IOException {
        return start("--version");
    }

    private Process start(String command) throws IOException {
        return start(root.resolve("trainyard"), command);
    }

    private Process start(Path launcher, String command) throws IOException {
        return builder(launcher, command).start();
    }

    private ProcessBuilder builder(Path launcher, String command) {
        var builder = new ProcessBuilder(launcher.toString(), command).redirectErrorStream(true);
        builder.environment().put("PATH", root.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().put("TMPDIR", scratch.toString());
        return builder;
    }

    /**
     * Writes an executable file, in another process. Otherwise a process that a parallel test starts could inherit the open file, and Linux
     * does not run a file that is open for writing (ETXTBSY).
     */
    private void program(String name, String text) throws IOException, InterruptedException {
        var writer = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "cat >\"$0\" && chmod +x \"$0\"",
                        root.resolve(name).toString())
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var input = writer.getOutputStream()) {
            input.write(text.getBytes(UTF_8));
        }
        assertThat(writer.waitFor()).isZero();
    }
}
