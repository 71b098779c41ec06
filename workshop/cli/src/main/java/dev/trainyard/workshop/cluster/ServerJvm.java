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

    /** The class-data archive that the launcher creates, relative to the root of the project. */
    static final Path ARCHIVE = Path.of("workshop", "cli", "target", "trainyard.jsa");

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
        var archive = Path.of(System.getProperty("trainyard.root", "")).resolve(ARCHIVE);
        if (Files.exists(archive)) { // the name of a missing file would also turn off the default archive
            command.addAll(List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return List.copyOf(command);
    }
}
