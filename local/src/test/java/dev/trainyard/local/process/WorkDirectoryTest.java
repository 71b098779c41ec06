package dev.trainyard.local.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
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
    void removesWhatProcessesThatAreGoneHaveLeft() throws Exception {
        Path gone = leftBy("test-1", goneProcess(), Instant.now());
        Path pidOfAnother =
                leftBy("test-2", ProcessHandle.current().pid(), Instant.now().minusSeconds(86400));

        WorkDirectory.create(parent, "test").close();

        assertThat(gone).doesNotExist();
        assertThat(pidOfAnother).doesNotExist();
    }

    @Test
    void leavesAloneWhatIsInUseOrKeptOrForeign() throws Exception {
        WorkDirectory other = WorkDirectory.create(parent, "test");
        WorkDirectory kept = WorkDirectory.create(parent, "test");
        kept.directory("logs");
        kept.directory("data");
        kept.keepOnly("logs");
        Path foreign = leftBy("elsewhere-1", goneProcess(), Instant.now());

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

    private Path leftBy(String name, long pid, Instant started) throws Exception {
        Path directory = Files.createDirectories(parent.resolve(name).resolve("data"));
        Files.writeString(directory.resolveSibling("owner"), pid + " " + started + "\n");
        return directory.getParent();
    }

    private static long goneProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }
}
