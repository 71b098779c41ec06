package dev.trainyard.local.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A child process that cannot outlive this JVM.
 *
 * <ul>
 *   <li>It dies when the JVM dies, in whatever way, {@code kill -9} included. Nothing but a POSIX shell is needed for
 *       that, so it holds on Linux and macOS.
 *   <li>{@link #pid()} is the process itself, not a wrapper, so signals sent to it reach it.
 *   <li>Standard output and error are appended to the log file; standard input is empty.
 * </ul>
 *
 * <p>Thread-safe. A Ctrl-C in a terminal reaches the process too, as it stays in the terminal's process group.
 */
public final class SupervisedProcess implements AutoCloseable {

    /**
     * Before it becomes the command, the shell leaves a watcher behind that blocks reading the pipe whose only other end
     * is in this JVM. End of file means that the JVM is gone, or that the command is and the JVM has noticed. The watcher
     * then starts over as a new shell, for the sake of a fresh {@code $PPID}: that is the command's pid only while the
     * command lives, so a pid which has been given to someone else is never killed.
     */
    private static final String SCRIPT = """
            exec 3<&0 </dev/null
            ( read -r _ <&3; exec /bin/sh -c '[ "$PPID" = "$1" ] && kill -9 "$1"' watcher "$$" ) &
            exec 3<&-
            exec "$@"
            """;

    /**
     * What to start.
     *
     * @param name for messages
     * @param command program and arguments
     * @param environment added to this JVM's own environment
     * @param logFile appended to; its directory must exist
     */
    public record Launch(String name, List<String> command, Map<String, String> environment, Path logFile) {
        public Launch {
            command = List.copyOf(command);
            environment = Map.copyOf(environment);
            if (command.isEmpty()) {
                throw new IllegalArgumentException("command of " + name + " is empty");
            }
        }

        public Launch(String name, List<String> command, Path logFile) {
            this(name, command, Map.of(), logFile);
        }
    }

    private final Launch launch;
    private final Process process;
    private final long logStart;

    private SupervisedProcess(Launch launch, Process process, long logStart) {
        this.launch = launch;
        this.process = process;
        this.logStart = logStart;
    }

    /**
     * Starts a process. That the command does not exist shows as exit code 127 and a line in the log.
     *
     * @throws UncheckedIOException when no process can be started or the log file cannot be written
     */
    public static SupervisedProcess start(Launch launch) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, launch.name()));
        command.addAll(launch.command());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(launch.logFile().toFile()));
        builder.environment().putAll(launch.environment());
        try {
            long logStart = Files.exists(launch.logFile()) ? Files.size(launch.logFile()) : 0;
            return new SupervisedProcess(launch, builder.start(), logStart);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + launch.name() + ": " + e.getMessage(), e);
        }
    }

    public Launch launch() {
        return launch;
    }

    public String name() {
        return launch.name();
    }

    public Path logFile() {
        return launch.logFile();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit code (128 + signal when killed by one), or empty while it runs. */
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Completes when the process has ended. */
    public CompletableFuture<SupervisedProcess> onExit() {
        return process.onExit().thenApply(ended -> this);
    }

    /** Asks it to end (SIGTERM), kills it when it has not ended within {@code grace}, and returns when it has ended. */
    public void stop(Duration grace) {
        // Not Process.destroy(): that closes the pipe as well, and the watcher would kill at once.
        process.toHandle().destroy();
        if (!endsWithin(grace)) {
            kill();
        }
    }

    /** Kills it (SIGKILL) and returns when it has ended. */
    public void kill() {
        process.toHandle().destroyForcibly();
        endsWithin(Duration.ofSeconds(30));
    }

    /** Same as {@link #stop} with five seconds of grace. */
    @Override
    public void close() {
        stop(Duration.ofSeconds(5));
    }

    /** What this run wrote to the log so far. */
    public LogTail log() {
        return new LogTail(launch.logFile(), logStart);
    }

    private boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.toHandle().destroyForcibly();
            return true;
        }
    }
}
