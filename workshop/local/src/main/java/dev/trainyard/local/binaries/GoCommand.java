package dev.trainyard.local.binaries;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The go command of this machine. The environment variable {@value #VARIABLE} can set its path. If the variable is not set, the PATH and
 * then the default installation directory are searched.
 */
final class GoCommand {
    /** Environment variable: path of the go command, or {@code none} to turn compilation off. */
    static final String VARIABLE = "TRAINYARD_GO";

    private static final Path INSTALLED = Path.of("/usr/local/go/bin/go");
    private static final Pattern VERSION = Pattern.compile("^(?:go)?(\\d+)\\.(\\d+)");

    private final String chosen;
    private final SearchPath path;

    GoCommand(Map<String, String> environment) {
        this.chosen = environment.getOrDefault(VARIABLE, "");
        this.path = new SearchPath(environment);
    }

    Optional<Path> find() {
        if (!chosen.isEmpty()) {
            return Optional.of(Path.of(chosen)).filter(Files::isExecutable);
        }
        return path.find("go").or(() -> Optional.of(INSTALLED).filter(Files::isExecutable));
    }

    /** Returns why there is no go command. */
    String whyNone() {
        if (chosen.equals("none")) {
            return "turned off by " + VARIABLE + "=none";
        }
        return chosen.isEmpty()
                ? "the command go is missing on the PATH and in /usr/local/go"
                : VARIABLE + " names " + chosen + ", but this file is missing or not executable";
    }

    /** Whether a version such as {@code go1.26.8} is at least the given minor version, such as {@code 1.26}. */
    static boolean isAtLeast(String found, String wanted) {
        Matcher has = VERSION.matcher(found);
        Matcher needs = VERSION.matcher(wanted);
        if (!has.find() || !needs.find()) {
            return false;
        }
        int major = Integer.compare(number(has, 1), number(needs, 1));
        return major > 0 || (major == 0 && number(has, 2) >= number(needs, 2));
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
