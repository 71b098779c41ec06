package dev.trainyard.workshop.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM of a long-running component, with the options of the launcher {@code trainyard}. */
public final class ServerJvm {

    /** The {@code server_options} of the launcher. Chosen by measurement: {@code docs/benchmarks.md}. */
    static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn16m");

    /** The {@code extender_options} of the launcher. Lists of thousands of names justify an optimizing compiler. */
    static final List<String> EXTENDER_OPTIONS = List.of("-XX:+UseSerialGC", "-Xmn32m");

    /** The {@code archive} of the launcher, which creates it, relative to the root of the project. */
    static final Path ARCHIVE = Path.of("workshop", "cli", "target", "trainyard.jsa");

    private ServerJvm() {}

    /** Returns the start of a component's command line: program, options and the class path of this JVM. The caller adds a main class. */
    public static List<String> command(InstalledComponent part) {
        return command(part == InstalledComponent.EXTENDER ? EXTENDER_OPTIONS : OPTIONS);
    }

    /** Returns the start of a command line with {@code options} instead of the usual ones. */
    public static List<String> command(List<String> options) {
        var command = new ArrayList<String>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        var archive = Path.of(System.getProperty("trainyard.root", "")).resolve(ARCHIVE);
        if (Files.exists(archive)) { // if the file is missing, the JVM does not use its default archive either
            command.addAll(List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return List.copyOf(command);
    }
}
