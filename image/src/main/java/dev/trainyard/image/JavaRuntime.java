package dev.trainyard.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The Java runtime in the image: the modules of a JDK that Trainyard and its libraries use. */
final class JavaRuntime {

    /**
     * The modules that the components use. Modules of tools are left out. {@code java.desktop} is left out too: libraries would use only
     * its package {@code java.beans}, and work without it. {@code jdk.jfr} is included for analysing a running component.
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
            "jdk.crypto.ec", // before 22, java.base cannot make the keys that Trainyard uses
            "jdk.jfr",
            "jdk.management",
            "jdk.unsupported");

    private JavaRuntime() {}

    /** Links the runtime below {@code directory}, unless a runtime of the same JDK and modules exists there. Takes about ten seconds. */
    static Path link(Jdk jdk, Path directory) {
        var runtime = directory.resolve(directoryName(jdk));
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

    /** Returns the name of the runtime's directory. JDKs of the same version from two implementors have different names. */
    static String directoryName(Jdk jdk) {
        return "runtime-%s-%08x"
                .formatted(jdk.version().replaceAll("[^\\w.]", "-"), Objects.hash(jdk.implementor(), MODULES));
    }
}
