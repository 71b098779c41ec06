package dev.trainyard.local.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    @TempDir
    Path directory;

    @Test
    void readsTheLastLinesOfALargeFile() throws Exception {
        Path file = Files.writeString(directory.resolve("log"), "noise\n".repeat(100_000) + "one\ntwo\n");

        assertThat(new LogTail(file, 0).lines(2)).containsExactly("one", "two");
        assertThat(new LogTail(file, 0).contains("two")).isTrue();
    }

    @Test
    void isEmptyForAFileThatIsNotThere() {
        assertThat(new LogTail(directory.resolve("none"), 0).lines(3)).isEmpty();
    }
}
