package dev.trainyard.workshop.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM of a long-running component, with the options of the launcher {@code trainyard}. */
public final class ServerJvm {

    /** The JVM options that the launcher calls {@code server_options}. They were chosen by measurement; see {@code docs/benchmarks.md}. */
    static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn16m");

    /**
     * The JVM options that the launcher calls {@code extender_options}. These options keep the optimizing compiler, because the extender
     * handles lists of thousands of nodes.
     */
    static final List<String> EXTENDER_OPTIONS = List.of("-XX:+UseSerialGC", "-Xmn32m");

    /** The class-data archive that the launcher creates with a JDK older than 25, relative to the root of the project. */
    static final Path ARCHIVE = Path.of("workshop", "cli", "target", "trainyard.jsa");

    /** The cache of classes and profiles that the launcher creates with JDK 25 or newer, relative to the root of the project. */
    static final Path AOT_CACHE = Path.of("workshop", "cli", "target", "trainyard.aot");

    private static final int FIRST_WITH_AOT_CACHE = 25;

    private ServerJvm() {}

    /**
     * Returns the first part of a component's command line: the {@code java} program, its options, and the class path of this JVM. The
     * caller adds a main class.
     */
    public static List<String> command(InstalledComponent part) {
        return command(part == InstalledComponent.EXTENDER ? EXTENDER_OPTIONS : OPTIONS);
    }

    /** Returns the first part of a command line, with {@code options} instead of the usual JVM options. */
    public static List<String> command(List<String> options) {
        var command = new ArrayList<String>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        command.addAll(cache(Runtime.version().feature(), Path.of(System.getProperty("trainyard.root", ""))));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return List.copyOf(command);
    }

    /**
     * Returns the options to start with what the launcher kept of an earlier start; empty if it kept nothing. The JVM ignores a file of
     * another JVM or other jars.
     *
     * @param feature the Java release that runs the component
     */
    static List<String> cache(int feature, Path root) {
        boolean aot = feature >= FIRST_WITH_AOT_CACHE;
        var file = root.resolve(aot ? AOT_CACHE : ARCHIVE);
        if (!Files.exists(file)) { // the name of a missing file would also turn off the default archive
            return List.of();
        }
        return aot
                ? List.of("-XX:AOTCache=" + file, "-Xlog:aot*=off", "-Xlog:cds*=off")
                : List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + file);
    }
}
