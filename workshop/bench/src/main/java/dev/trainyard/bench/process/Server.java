package dev.trainyard.bench.process;

import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.process.SupervisedProcess.Launch;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server process under measurement. A line of the server's output reports readiness and contains the server's URL. */
public final class Server implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final long LOOK_MILLIS = 1;
    private static final int SHOWN_LINES = 15;

    private final SupervisedProcess process;
    private final int port;
    private final Duration startedIn;

    private Server(SupervisedProcess process, int port, Duration startedIn) {
        this.process = process;
        this.port = port;
        this.startedIn = startedIn;
    }

    /**
     * Starts a server and returns when it is ready.
     *
     * @param readyWords text before the URL in the line that reports readiness
     * @param log file for the server's output
     * @throws BenchException if the process ends, or is not ready within three minutes; the message has the last lines of the output
     */
    public static Server start(String name, List<String> command, String readyWords, Path log) {
        var readyLine = Pattern.compile(Pattern.quote(readyWords) + "https://[^:/]+:(\\d+)");
        long start = System.nanoTime();
        var process = SupervisedProcess.start(new Launch(name, command, log));
        try {
            while (true) {
                var ready = readyLine.matcher(text(log));
                if (ready.find()) {
                    var took = Duration.ofNanos(System.nanoTime() - start);
                    return new Server(process, Integer.parseInt(ready.group(1)), took);
                }
                if (!process.isAlive() || System.nanoTime() - start > TIMEOUT.toNanos()) {
                    throw new BenchException("%s did not become ready; its log ends with:\n%s"
                            .formatted(name, String.join("\n", process.log().lines(SHOWN_LINES))));
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.kill();
            throw new BenchException("interrupted", e);
        } catch (RuntimeException e) {
            process.kill();
            throw e;
        }
    }

    public int port() {
        return port;
    }

    /** Returns the time from the start of the process to the line that reports readiness. */
    public Duration startedIn() {
        return startedIn;
    }

    /** Returns the CPU time that the process has used so far, in user and kernel mode, with a resolution of a hundredth of a second. */
    public Duration cpu() {
        return ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElseThrow(() -> new BenchException("%s has ended; its log ends with:\n%s"
                        .formatted(
                                process.name(), String.join("\n", process.log().lines(SHOWN_LINES)))));
    }

    /** Returns the resident set size in bytes; null if the system does not provide it (no /proc). */
    public @Nullable Long residentBytes() {
        var status = ProcessStatus.of(process.pid());
        return status == null ? null : Long.valueOf(status.residentBytes());
    }

    /** Empties the log file, to which the server keeps appending. A line for each of a million requests would fill the disk. */
    public void forgetLog() {
        try (var file = new RandomAccessFile(process.logFile().toFile(), "rw")) {
            file.setLength(0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot empty " + process.logFile(), e);
        }
    }

    @Override
    public void close() {
        process.stop(STOP);
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
