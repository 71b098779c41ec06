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

/** A server under measurement: a process of its own, which says in a line of its output when and where it is ready. */
public final class Server implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final long LOOK_MILLIS = 1;
    private static final int SHOWN_LINES = 15;
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");

    private final SupervisedProcess process;
    private final int port;
    private final Duration startedIn;

    private Server(SupervisedProcess process, int port, Duration startedIn) {
        this.process = process;
        this.port = port;
        this.startedIn = startedIn;
    }

    /**
     * Starts it, and returns when it is ready.
     *
     * @param readyWords what stands before its URL in the line that says so
     * @param log where its output goes
     * @throws BenchException when it ends, or is not ready within three minutes; the message has its last lines
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
                if (!process.isAlive() || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw new BenchException("%s is not ready; its last lines:\n%s"
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

    /** From the start of the process to its line that says ready. */
    public Duration startedIn() {
        return startedIn;
    }

    /** CPU time that it has used, in user and kernel mode; exact to a hundredth of a second. */
    public Duration cpu() {
        return ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElseThrow(() -> new BenchException("%s has ended; its last lines:\n%s"
                        .formatted(
                                process.name(), String.join("\n", process.log().lines(SHOWN_LINES)))));
    }

    /** Bytes of memory that it holds (resident set); null where the system does not tell (no /proc). */
    public @Nullable Long residentBytes() {
        var status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.isReadable(status)) {
            return null;
        }
        var resident = RESIDENT.matcher(text(status));
        return resident.find() ? Long.valueOf(Long.parseLong(resident.group(1)) * 1024) : null;
    }

    /** Empties its log, to which it goes on appending: a line for each of a million requests fills a disk. */
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
