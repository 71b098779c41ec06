package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

/**
 * Lines of expected output in {@code src/test/resources/golden}, each after a name and a colon. Tests with -Dtrainyard.update=true rewrite
 * the lines.
 */
final class Golden {
    private static final Path DIRECTORY =
            Path.of(System.getProperty("trainyard.root"), "workshop", "e2e", "src", "test", "resources", "golden");

    private Golden() {}

    static void line(String file, String name, String line) throws IOException {
        var path = DIRECTORY.resolve(file);
        var lines = new TreeMap<String, String>();
        for (var known : Files.exists(path) ? Files.readAllLines(path) : List.<String>of()) {
            var parts = known.split(": ", 2);
            lines.put(parts[0], parts[1]);
        }
        if (Boolean.getBoolean("trainyard.update")) {
            lines.put(name, line);
            Files.createDirectories(DIRECTORY);
            Files.write(
                    path,
                    lines.entrySet().stream()
                            .map(entry -> entry.getKey() + ": " + entry.getValue())
                            .toList());
        }
        assertThat(line).as("%s of %s", name, path).isEqualTo(lines.get(name));
    }
}
