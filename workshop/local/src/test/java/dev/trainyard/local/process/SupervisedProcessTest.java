package dev.trainyard.local.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.process.SupervisedProcess.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SupervisedProcessTest {
    @TempDir
    Path directory;

    @Test
    void isTheCommandItselfNotAWrapper() throws Exception {
        SupervisedProcess process = shell("echo pid $$; exec sleep 60");
        until(() -> process.log().contains("pid "));

        assertThat(process.log().lines(1)).containsExactly("pid " + process.pid());
        assertThat(process.isAlive()).isTrue();
        assertThat(process.exitCode()).isEmpty();
        process.kill();
        assertThat(process.isAlive()).isFalse();
        assertThat(process.exitCode()).hasValue(128 + 9);
    }

    @Test
    void diesWithItsParentEvenWhenThatIsKilled() throws Exception {
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        directory.resolve("child.log").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long pid;
        try (var output = parent.inputReader()) {
            pid = Long.parseLong(output.readLine());
        }
        ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
        assertThat(child.isAlive()).isTrue();

        parent.destroyForcibly().waitFor();

        child.onExit().get(20, TimeUnit.SECONDS);
        assertThat(child.isAlive()).isFalse();
    }

    /** A JVM that the test kills. Its child ignores all signals that can be ignored. */
    static final class Parent {
        public static void main(String[] arguments) throws Exception {
            SupervisedProcess child = SupervisedProcess.start(new Launch(
                    "child",
                    List.of("/bin/sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"),
                    Path.of(arguments[0])));
            System.out.println(child.pid());
            Thread.sleep(Duration.ofMinutes(5).toMillis());
        }
    }

    @Test
    void givesTheProcessTimeToEndWhenItStops() throws Exception {
        SupervisedProcess process = shell("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done");
        until(() -> process.log().contains("up"));

        process.stop(Duration.ofSeconds(20));

        assertThat(process.exitCode()).hasValue(7);
        assertThat(process.log().lines(1)).containsExactly("bye");
    }

    @Test
    void killsAProcessThatDoesNotStop() throws Exception {
        SupervisedProcess process = shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
        until(() -> process.log().contains("up"));

        process.stop(Duration.ofMillis(200));

        assertThat(process.exitCode()).hasValue(128 + 9);
    }

    @Test
    void leavesNoWatcherBehind() throws Exception {
        SupervisedProcess process = shell("echo up; exec sleep 60");
        until(() -> process.log().contains("up"));
        List<ProcessHandle> watchers =
                ProcessHandle.of(process.pid()).orElseThrow().children().toList();
        assertThat(watchers).hasSize(1);

        process.kill();

        watchers.get(0).onExit().get(20, TimeUnit.SECONDS);
    }

    @Test
    void addsToTheEnvironmentAndGivesNoInput() throws Exception {
        SupervisedProcess process = SupervisedProcess.start(new Launch(
                "cat",
                List.of("/bin/sh", "-c", "cat; echo \"$GREETING $HOME\""),
                Map.of("GREETING", "hello"),
                directory.resolve("cat.log")));

        process.onExit().get(20, TimeUnit.SECONDS);

        assertThat(process.log().lines(5)).containsExactly("hello " + System.getenv("HOME"));
    }

    @Test
    void passesArgumentsAsTheyAre() throws Exception {
        List<String> awkward = List.of("a b", "$HOME", "'\"", "*", "");
        SupervisedProcess process = SupervisedProcess.start(new Launch(
                "printf",
                List.of("printf", "[%s]", awkward.get(0), awkward.get(1), awkward.get(2), awkward.get(3), ""),
                directory.resolve("printf.log")));

        process.onExit().get(20, TimeUnit.SECONDS);

        assertThat(Files.readString(process.logFile())).isEqualTo("[a b][$HOME]['\"][*][]");
    }

    @Test
    void saysInTheLogThatACommandDoesNotExist() throws Exception {
        SupervisedProcess process =
                SupervisedProcess.start(new Launch("none", List.of("/does/not/exist"), directory.resolve("none.log")));

        process.onExit().get(20, TimeUnit.SECONDS);

        assertThat(process.exitCode()).hasValue(127);
        assertThat(process.log().contains("/does/not/exist")).isTrue();
    }

    @Test
    void showsTheLogOfThisRunOnly() throws Exception {
        shell("echo first").onExit().get(20, TimeUnit.SECONDS);
        SupervisedProcess second = shell("echo second");
        second.onExit().get(20, TimeUnit.SECONDS);

        assertThat(second.log().lines(10)).containsExactly("second");
        assertThat(Files.readString(second.logFile())).isEqualTo("first\nsecond\n");
    }

    private SupervisedProcess shell(String script) {
        return SupervisedProcess.start(
                new Launch("test", List.of("/bin/sh", "-c", script), directory.resolve("test.log")));
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        Instant deadline = Instant.now().plusSeconds(20);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(10);
        }
    }
}
