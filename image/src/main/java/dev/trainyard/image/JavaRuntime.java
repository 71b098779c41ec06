package dev.trainyard.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The runtime that is put into the image: those modules of a JDK that Trainyard and its libraries use. */
final class JavaRuntime {

    /**
     * What the components reach. Left out on purpose: {@code java.desktop}, of which libraries would only use {@code java.beans} and do without,
     * and all tools. {@code jdk.jfr} is there so that a component can be looked into while it runs.
     */
    static final List<String> MODULES = List.of(
            "java.base",
            "java.logging",
            "java.management",
            "java.naming",
            "java.net.http",
            "java.security.jgss",
            "java.sql",
            "java.xml",
            "jdk.crypto.ec", // until 22 java.base cannot make the keys that we use
            "jdk.jfr",
            "jdk.management",
            "jdk.unsupported");

    private JavaRuntime() {}

    /** Links it below {@code directory}, unless one of the same JDK and modules is there already. Takes some ten seconds. */
    static Path link(Jdk jdk, Path directory) {
        var runtime = directory.resolve(
                "runtime-%s-%08x".formatted(jdk.version().replaceAll("[^\\w.]", "-"), MODULES.hashCode()));
        var complete = runtime.resolve("lib/modules");
        if (!Files.exists(complete)) {
            Directories.delete(runtime);
            Program.run(List.of(
                    jdk.home().resolve("bin/jlink").toString(),
                    "--add-modules=" + String.join(",", MODULES),
                    "--strip-debug",
                    "--no-header-files",
                    "--no-man-pages",
                    "--output=" + runtime));
        }
        return runtime;
    }
}
