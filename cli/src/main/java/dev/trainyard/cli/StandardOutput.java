package dev.trainyard.cli;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * The standard output of the process. Keeps the first write error, because writers and print streams only remember that a write failed. A
 * command fails if a full disk or a closed pipe cuts off its output. Thread-safe.
 */
final class StandardOutput extends OutputStream {

    private final OutputStream stream;
    private @Nullable IOException failure;

    StandardOutput(OutputStream stream) {
        this.stream = stream;
    }

    /**
     * Sends the output of {@code commandLine} and of {@link System#out} through one instance, and checks after each command that no write
     * failed.
     */
    static void install(CommandLine commandLine) {
        var charset = Charset.forName(System.getProperty(
                "stdout.encoding",
                System.getProperty(
                        "sun.stdout.encoding", Charset.defaultCharset().name())));
        var output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        var systemOut = new PrintStream(output, true, charset);
        var writer = new PrintWriter(new BufferedWriter(new OutputStreamWriter(output, charset)), true);
        System.setOut(systemOut);
        commandLine.setOut(writer);
        commandLine.setExecutionStrategy(parsed -> {
            int exitCode = new RunLast().execute(parsed);
            writer.flush();
            systemOut.flush();
            output.requireComplete(command(parsed));
            return exitCode;
        });
    }

    private static CommandLine command(ParseResult parsed) {
        var all = parsed.asCommandLineList();
        return all.get(all.size() - 1);
    }

    private synchronized void requireComplete(CommandLine command) {
        if (failure != null) {
            var explained = new UncheckedIOException(
                    "standard output cannot be written: %s; the printed output is incomplete"
                            .formatted(failure.getMessage()),
                    failure);
            throw new ExecutionException(command, explained.getMessage(), explained);
        }
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        if (failure != null) {
            throw failure; // a later successful write would leave a gap
        }
        try {
            stream.write(bytes, from, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }
}
