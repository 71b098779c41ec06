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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process that cannot outlive this JVM.
 *
 * <ul>
 * <li>The process dies with the JVM, even if the JVM gets {@code kill -9}. This needs only a POSIX shell, and so works on Linux and macOS.
 * <li>{@link #pid()} is the ID of the process itself, not of a wrapper. Signals to this ID reach the process.
 * <li>Standard output and error are appended to the log file; standard input is empty.
 * </ul>
 *
 * <p>Thread-safe. A Ctrl-C in a terminal also reaches the process, because it stays in the terminal's process group.
 */
public final class SupervisedProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SupervisedProcess.class);

    /**
     * The shell starts a watcher that reads from a pipe. The shell then becomes the command. The only other end of the pipe is in this
     * JVM. End of file means that the JVM has ended, or that the command has ended and the JVM has closed the pipe. The watcher then
     * restarts as a new shell to get a fresh {@code $PPID}. {@code $PPID} equals the command's pid only while the command lives. The
     * watcher therefore never kills another process that reuses the pid.
     */
    private static final String SCRIPT = """
            exec 3<&0 </dev/null
            ( read -r _ <&3; exec /bin/sh -c '[ "$PPID" = "$1" ] && kill -9 "$1"' watcher "$$" ) &
            exec 3<&-
            exec "$@"
            """;

    /**
     * The command line and log of a process.
     *
     * @param name name for messages
     * @param command program and arguments
     * @param environment environment variables to add to those of this JVM
     * @param logFile file to append to; its directory must exist
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
     * Starts a process. If the command does not exist, the exit code is 127, and the log has a message.
     *
     * @throws UncheckedIOException if no process can be started or the log file cannot be written
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

    /** Returns the exit code, which is 128 + signal after a kill; empty while the process runs. */
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Returns a future that completes when the process has ended. */
    public CompletableFuture<SupervisedProcess> onExit() {
        return process.onExit().thenApply(ended -> this);
    }

    /** Terminates the process (SIGTERM), kills it if it has not ended within {@code grace}, and returns when it has ended. */
    public void stop(Duration grace) {
        // Not Process.destroy(), which also closes the pipe: the watcher would kill the process at once.
        process.toHandle().destroy();
        if (!endsWithin(grace)) {
            kill();
        }
    }

    /** Kills the process (SIGKILL) and returns when it has ended, or after 30 s. */
    public void kill() {
        process.toHandle().destroyForcibly();
        if (!endsWithin(Duration.ofSeconds(30))) {
            log.warn("process {} (pid {}) has not ended 30 s after SIGKILL", name(), pid());
        }
    }

    /** Stops the process with five seconds of grace. See {@link #stop}. */
    @Override
    public void close() {
        stop(Duration.ofSeconds(5));
    }

    /** Returns the output of this process in the log so far. */
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
