package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkshopTest {

    private static final String FULL = "/dev/full";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "demo --without kubelet | Invalid value for option '--without'",
                "bench chaos --seeds 1e12 | Invalid value for option '--seeds': '1e12' is not a whole number, such as 12",
                "bench chaos --seeds 3000000000 | Invalid value for option '--seeds': 3000000000 is too large: expected at most 2147483647",
                "bench chaos --seed 1e12 | Invalid value for option '--seed': '1e12' is not a whole number, such as 12",
                "demo --scenario sopt | there is no scenario 'sopt'; there are: spot, fallback, burst, tiers, reclaim, gangs",
                "demo --kubernetes 1.99 | choose one of 1.36, 1.32",
                "demo --kubernetes simulated --keep | --kubernetes simulated: --keep needs a control plane",
                "demo --kubernetes simulated --cloud aws | --kubernetes simulated: --cloud aws needs a control plane",
                "demo --timeout -5 | --timeout: -5 is not a number of seconds to wait",
                "bench | bench: name a benchmark: webhook, extender, scheduler, reaction, scale, scoring",
                "bench scheduler --nodes 0 | --nodes: 0 is not a number from 1 to 5000",
                "bench scheduler --nodes 10 --pods 31 | --pods: 31 is not a number from 2 to 30, which is 3 for each of the 10 nodes",
                "bench scale --nodes 5001 | --nodes: 5001 is not a number from 20 to 5000",
                "bench webhook --connections 0 | --connections: 0 is not a number from 1 to 1000",
                "bench webhook --seconds 0 | --seconds: expected at least 0.001",
            })
    void explainsAnInvalidCallInTwoLines(String call, String explanation) {
        var err = new StringWriter();
        int exitCode = Workshop.commandLine().setErr(new PrintWriter(err)).execute(call.split(" "));
        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains(explanation).contains("--help'").hasLineCount(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench chaos --seeds 1 --threads 1", "demo --kubernetes simulated --scenario spot"})
    @EnabledIf("hasADiskThatIsAlwaysFull")
    void commandFailsIfTheDiskIsFull(String call) throws Exception {
        var process = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "exec '%s' %s %s >%s"
                                .formatted(
                                        ProcessHandle.current().info().command().orElseThrow(),
                                        Workshop.class.getName(),
                                        call,
                                        FULL))
                .redirectError(ProcessBuilder.Redirect.PIPE);
        process.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        var started = process.start();

        assertThat(new String(started.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("standard output cannot be written: No space left on device");
        assertThat(started.waitFor()).isEqualTo(1);
    }

    static boolean hasADiskThatIsAlwaysFull() {
        return Files.exists(Path.of(FULL));
    }
}
