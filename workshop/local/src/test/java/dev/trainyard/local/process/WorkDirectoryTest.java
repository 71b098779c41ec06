package dev.trainyard.local.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkDirectoryTest {
    @TempDir
    Path parent;

    @Test
    void isForThisUserOnlyAndGoesWhenClosed() throws Exception {
        Path path;
        try (WorkDirectory directory = WorkDirectory.create(parent.resolve("made"), "test")) {
            path = directory.path();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
            Files.writeString(directory.directory("logs").resolve("a.log"), "text");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void removesWhatAKilledJvmHasLeft() throws Exception {
        Process owner = startOwner();
        Path left;
        try (var output = owner.inputReader()) {
            left = Path.of(output.readLine());
        }
        WorkDirectory.create(parent, "test").close();
        assertThat(left).as("is in use").exists();

        owner.destroyForcibly().waitFor();
        WorkDirectory.create(parent, "test").close();

        assertThat(left).doesNotExist();
    }

    private Process startOwner() throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        parent.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** A JVM that the test kills. */
    static final class Owner {
        public static void main(String[] arguments) throws Exception {
            System.out.println(
                    WorkDirectory.create(Path.of(arguments[0]), "test").path());
            Thread.sleep(Duration.ofMinutes(5).toMillis());
        }
    }

    @Test
    void leavesAloneWhatIsInUseOrKeptOrForeign() throws Exception {
        WorkDirectory other = WorkDirectory.create(parent, "test");
        WorkDirectory kept = WorkDirectory.create(parent, "test");
        kept.directory("logs");
        kept.directory("data");
        kept.keepOnly("logs");
        Path foreign = leftBehind("elsewhere-1");

        WorkDirectory.create(parent, "test").close();

        assertThat(other.path()).exists();
        assertThat(kept.path()).isDirectoryContaining("glob:**/logs").isDirectoryNotContaining("glob:**/data");
        assertThat(foreign).exists();
    }

    @Test
    void doesNotFollowLinksWhenItGoes() throws Exception {
        Path precious = Files.writeString(parent.resolve("precious"), "text");
        WorkDirectory directory = WorkDirectory.create(parent, "test");
        Files.createSymbolicLink(directory.path().resolve("link"), parent);

        directory.close();

        assertThat(precious).exists();
    }

    @Test
    void isInUseStillAfterAnotherWasMadeByTheSameJvm() throws Exception {
        try (WorkDirectory first = WorkDirectory.create(parent, "test");
                WorkDirectory second = WorkDirectory.create(parent, "test")) {
            Process other = startOwner();
            try (var output = other.inputReader()) {
                assertThat(output.readLine()).isNotNull();
            }
            assertThat(first.path()).exists();
            assertThat(second.path()).exists();
            other.destroyForcibly().waitFor();
        }
    }

    /** The prefix is an invalid pattern, so the search for abandoned directories fails. */
    @Test
    void leavesNothingBehindWhenItCannotBeMade() {
        assertThatThrownBy(() -> WorkDirectory.create(parent, "[")).isInstanceOf(PatternSyntaxException.class);

        assertThat(parent).isEmptyDirectory();
    }

    private Path leftBehind(String name) throws Exception {
        Path directory = Files.createDirectories(parent.resolve(name));
        Files.writeString(directory.resolve("owner"), "0\n");
        return directory;
    }
}
