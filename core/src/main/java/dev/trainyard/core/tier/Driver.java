package dev.trainyard.core.tier;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.api.TrainingTierSpec.DriverSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The way in which containers that request a GPU get access to the GPU driver.
 *
 * @param root directory of the driver on the node, without a slash at the end; used by mode {@code hostPath}
 * @param extraLibraries further files of the node, mounted at the same path; used by mode {@code hostPath}
 */
public record Driver(DriverMode mode, String root, List<String> extraLibraries) {

    /**
     * The container's directory for the driver's programs. The directory {@code bin} of the driver's root is mounted there. NVIDIA's images
     * have this directory in their PATH.
     */
    public static final String PROGRAMS = "/usr/local/nvidia/bin";

    /** The container's directory for the driver's libraries. The driver's root is mounted there. */
    public static final String LIBRARIES = "/usr/lib/nvidia";

    /** The driver's library outside of the driver's root. The path is the same on nodes and in containers. */
    public static final String LIBCUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";

    /** The directory of the driver on machines of acs-engine, without the version at the end. */
    private static final String ROOTS = "/usr/lib/nvidia-";

    private static final String DEFAULT_VERSION = "384";

    public static final Driver NONE = new Driver(DriverMode.NONE, ROOTS + DEFAULT_VERSION, List.of());

    private static final Pattern VERSION = Pattern.compile(DriverSpec.VERSION);
    private static final Pattern FILE = Pattern.compile(DriverSpec.FILE);
    private static final Pattern DIRECTORY = Pattern.compile(DriverSpec.DIRECTORY);
    private static final Pattern DOTS = Pattern.compile("(^|/)[.]{1,2}(/|$)");

    public Driver {
        extraLibraries = List.copyOf(extraLibraries);
    }

    /**
     * Checks {@code spec} and fills in its defaults.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    static Driver of(DriverSpec spec) {
        require(spec.mode() != null, "spec.driver.mode: missing, expected none, libraryPath or hostPath");
        var libraries = Optional.ofNullable(spec.extraLibraries()).orElse(List.of());
        var places = new ArrayList<>(List.of(PROGRAMS, LIBRARIES, LIBCUDA));
        for (int index = 0; index < libraries.size(); index++) {
            var field = "spec.driver.extraLibraries[%d]".formatted(index);
            var file = libraries.get(index);
            requirePath(field, file, FILE, "of a file, such as " + LIBCUDA);
            for (var place : places) {
                require(
                        !file.startsWith(place + "/") && !place.startsWith(file + "/"),
                        "%s: '%s' overlaps with the mounted path %s; a path cannot be mounted inside another",
                        field,
                        file,
                        place);
            }
            places.add(file);
        }
        return new Driver(spec.mode(), root(spec), libraries);
    }

    private static String root(DriverSpec spec) {
        var root = spec.root();
        if (root == null) {
            var version = Optional.ofNullable(spec.version()).orElse(DEFAULT_VERSION);
            require(
                    VERSION.matcher(version).matches(),
                    "spec.driver.version: '%s' is not a version such as %s",
                    version,
                    DEFAULT_VERSION);
            return ROOTS + version;
        }
        require(
                spec.version() == null,
                "spec.driver: version '%s' and root '%s' exclude each other: a version stands for %sVERSION",
                spec.version(),
                root,
                ROOTS);
        requirePath("spec.driver.root", root, DIRECTORY, "of a directory, such as " + NONE.root());
        return root.endsWith("/") ? root.substring(0, root.length() - 1) : root;
    }

    private static void requirePath(String field, String path, Pattern syntax, String ofWhat) {
        require(
                syntax.matcher(path).matches() && !DOTS.matcher(path).find(),
                "%s: '%s' is invalid; expected an absolute path without colons, '.' and '..' %s",
                field,
                path,
                ofWhat);
    }

    private static void require(boolean holds, String message, @Nullable Object... arguments) {
        if (!holds) {
            throw new IllegalArgumentException(message.formatted(arguments));
        }
    }
}
