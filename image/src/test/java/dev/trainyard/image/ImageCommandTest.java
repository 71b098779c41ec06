package dev.trainyard.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageCommandTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Pattern DOCUMENTED = Pattern.compile("\\./trainyard image([^`\\n&]*)");
    private static final Pattern OURS = Pattern.compile("image: (trainyard:\\S+)");

    @TempDir
    private Path directory;

    @Test
    void understandsWhatTheGuideSays() throws Exception {
        var text = Files.readString(ROOT.resolve("docs/image.md"))
                + Files.readString(ROOT.resolve("docs/getting-started.md"));
        var commands = DOCUMENTED
                .matcher(text)
                .results()
                .map(match -> match.group(1).strip())
                .toList();
        assertThat(commands)
                .hasSizeGreaterThan(3)
                .allSatisfy(command ->
                        ImageCommand.commandLine().parseArgs(command.isEmpty() ? new String[0] : command.split(" ")));
    }

    @Test
    void saysInWordsWhatIsWrong() {
        var err = new StringWriter();

        int code = ImageCommand.commandLine().setErr(new PrintWriter(err, true)).execute("--jdk", directory.toString());

        assertThat(code).isEqualTo(1);
        assertThat(err)
                .hasToString(
                        "trainyard: --jdk: %s is not a JDK: it lacks bin/jlink or the file 'release'. Name the directory of a JDK 25.%n"
                                .formatted(directory));
    }

    @Test
    void aFileThatCannotBeWrittenIsSaidBeforeAnythingIsBuilt() {
        var err = new StringWriter();

        int code = ImageCommand.commandLine()
                .setErr(new PrintWriter(err, true))
                .execute("--tar", "/dev/null/image.tar", "--jdk", directory.toString());

        assertThat(code).isEqualTo(1);
        assertThat(err)
                .asString()
                .startsWith("trainyard: --tar: the directory of '/dev/null/image.tar' cannot be created: ")
                .doesNotContain("\tat ");
    }

    @Test
    void takesTheNewestReleaseWithLongTermSupportOrTheNewest() {
        assertThat(Jdk.best().major()).isGreaterThanOrEqualTo(17);
        assertThat(Stream.of(jdk(17), jdk(26), jdk(25), jdk(21)).max(Jdk.PREFERENCE))
                .contains(jdk(25));
        assertThat(Stream.of(jdk(17), jdk(21)).max(Jdk.PREFERENCE)).contains(jdk(21));
    }

    @Test
    void librariesThatAreNotBuiltAreNamedWithWhatBuildsThem() {
        assertThatThrownBy(() -> Jars.builtIn(directory))
                .isInstanceOf(ImageException.class)
                .hasMessageContaining("mvn -DskipTests -pl image -am package");
    }

    @Test
    void oursComeAfterTheLibraries() throws Exception {
        Files.createDirectory(directory.resolve("lib"));
        for (var name :
                List.of("trainyard-cli.jar", "lib/vertx-core.jar", "lib/trainyard-core-1.jar", "lib/zjsonpatch.jar")) {
            Files.createFile(directory.resolve(name));
        }
        assertThat(Jars.builtIn(directory).classPath("/x"))
                .isEqualTo("/x/vertx-core.jar:/x/zjsonpatch.jar:/x/trainyard-cli.jar:/x/trainyard-core-1.jar");
    }

    /** Reads the manifests as shipped, into which the build of a release writes its version. */
    @Test
    void manifestsNameThisImageAndItsUser() throws Exception {
        try (var files = Files.walk(ROOT.resolve("cli/target/classes/manifests"))) {
            for (var file :
                    (Iterable<Path>) files.filter(path -> path.toString().endsWith(".yaml"))::iterator) {
                var text = Files.readString(file);
                assertThat(OURS.matcher(text).results().map(match -> match.group(1)))
                        .as(file.toString())
                        .allMatch(("trainyard:" + ImageCommand.version())::equals);
                assertThat(Pattern.compile("runAs(?:User|Group): (\\d+)")
                                .matcher(text)
                                .results()
                                .map(match -> match.group(1)))
                        .as(file.toString())
                        .allMatch(("" + ImageBuild.USER)::equals);
            }
        }
    }

    @Test
    void runtimesOfTwoImplementorsHaveDifferentDirectories() {
        var one = jdk(25);
        var other = new Jdk(one.home(), one.major(), one.version(), "someone else");

        assertThat(JavaRuntime.directoryName(one))
                .startsWith("runtime-25.0.1-1-")
                .isEqualTo(JavaRuntime.directoryName(jdk(25)))
                .isNotEqualTo(JavaRuntime.directoryName(other));
    }

    private static Jdk jdk(int major) {
        return new Jdk(Path.of("/jdk"), major, major + ".0.1+1", "someone");
    }
}
