package dev.trainyard.local.binaries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class GoProgramTest {

    @TempDir
    Path directory;

    private Path calls;

    @BeforeEach
    void prepare() throws Exception {
        calls = Files.createFile(directory.resolve("calls"));
    }

    @Test
    void isCompiledOnceForEachSource() throws Exception {
        assertThat(program("go1.26.1", "package main").supply()).isEmpty();
        assertThat(program("go1.26.1", "package main").supply()).isEmpty();
        assertThat(builds()).isEqualTo(1);

        assertThat(program("go1.26.1", "package main // changed").supply()).isEmpty();
        assertThat(builds()).isEqualTo(2);
        assertThat(program("go1.26.1", "package main").file())
                .isExecutable()
                .hasFileName("peer")
                .hasContent("package main");
    }

    @Test
    void saysWhyItCannotBeCompiled() throws Exception {
        var program = program("go1.22.3", "package main");

        assertThat(program.supply().orElseThrow()).startsWith("Go 1.26 or newer is needed; ");
        assertThat(program.file()).doesNotExist();
    }

    @Test
    void isFoundInTheCacheAlsoWithoutGo() throws Exception {
        assertThat(program("go1.26.1", "package main").supply()).isEmpty();

        var turnedOff = Map.of("TRAINYARD_GO", "none");
        assertThat(program("package main", turnedOff).supply()).isEmpty();
        assertThat(program("package main // changed", turnedOff).supply()).hasValue("turned off by TRAINYARD_GO=none");
    }

    private long builds() throws Exception {
        return Files.readString(calls)
                .lines()
                .filter(line -> line.contains(" build "))
                .count();
    }

    /** Returns a program with a fake go command, which copies main.go to the output. */
    private GoProgram program(String version, String source) throws Exception {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        FakeBinaries.go(bin.resolve("go"), calls, version, "cp \"$2/main.go\" \"$2/out\"; chmod +x \"$2/out\"");
        return program(source, Map.of("TRAINYARD_GO", bin.resolve("go").toString()));
    }

    private GoProgram program(String source, Map<String, String> go) {
        var environment = new HashMap<>(go);
        environment.put("XDG_CACHE_HOME", directory.resolve("caches").toString());
        var sources = Map.of("go.mod", "module m\n\ngo 1.26.0\n".getBytes(UTF_8), "main.go", source.getBytes(UTF_8));
        return new GoProgram("peer", sources, environment, ProgressListener.silent());
    }
}
