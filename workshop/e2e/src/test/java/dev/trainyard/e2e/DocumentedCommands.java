package dev.trainyard.e2e;

import dev.trainyard.local.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A runner of commands of the documentation, exactly as printed. */
final class DocumentedCommands {

    private static final Path DOCS = Path.of(System.getProperty("trainyard.root"), "docs");
    private static final Pattern BLOCK = Pattern.compile("(?m)^```([a-z]*)\\n(.*?)^```$", Pattern.DOTALL);

    private DocumentedCommands() {}

    /** Returns the code blocks of a section in order, except those with a language, such as yaml. */
    static List<String> commands(String file, String heading) {
        return blocks(file, heading, "");
    }

    /** Returns the first YAML block of a section. */
    static String yaml(String file, String heading) {
        return blocks(file, heading, "yaml").get(0);
    }

    private static List<String> blocks(String file, String heading, String language) {
        try {
            var text = Files.readString(DOCS.resolve(file));
            int start = text.indexOf("\n## " + heading + "\n");
            if (start < 0) {
                throw new AssertionError("%s has no section %s".formatted(file, heading));
            }
            int end = text.indexOf("\n## ", start + 1);
            return BLOCK.matcher(end < 0 ? text.substring(start) : text.substring(start, end))
                    .results()
                    .filter(block -> block.group(1).equals(language))
                    .map(block -> block.group(2))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs commands in a shell with an administrator's rights. Every command must succeed. */
    static String run(String commands, ControlPlane controlPlane, Path directory, Path... programs) {
        var builder = new ProcessBuilder("sh", "-eux", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        var path = new StringBuilder(controlPlane.kubectl().getParent().toString());
        for (var program : programs) {
            path.append(':').append(program.getParent());
        }
        builder.environment().merge("PATH", path.toString(), (old, ours) -> ours + ":" + old);
        builder.environment().put("KUBECONFIG", controlPlane.kubeconfig().toString());
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError("this failed:\n" + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the guide's commands ran", e);
        }
    }
}
