package dev.trainyard.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;

/** A runner of external programs. */
final class Program {

    private Program() {}

    /**
     * Runs a program to its end, and returns its standard output and standard error.
     *
     * @throws ImageException if the program cannot be started or fails; the message contains the end of its output
     */
    static String run(List<String> command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new ImageException(
                        "%s ended with %d:%n%s".formatted(command.get(0), code, lastLines(output.strip())));
            }
            return output;
        } catch (IOException e) {
            throw new ImageException(command.get(0) + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ImageException(command.get(0) + " was interrupted", e);
        }
    }

    private static String lastLines(String text) {
        var lines = text.lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    }
}
