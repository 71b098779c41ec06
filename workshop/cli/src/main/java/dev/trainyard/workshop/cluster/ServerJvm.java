package dev.trainyard.workshop.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM that a component runs in for long, as the launcher {@code trainyard} starts it. */
public final class ServerJvm {

    /** As {@code server_options} in the launcher. Chosen by measurement: {@code docs/benchmarks.md}. */
    static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn16m");

    /** As {@code extender_options} in the launcher: lists of thousands of names are worth an optimizing compiler. */
    static final List<String> EXTENDER_OPTIONS = List.of("-XX:+UseSerialGC", "-Xmn32m");

    /** As {@code archive} in the launcher, which makes it; below the root of the project. */
    static final Path ARCHIVE = Path.of("workshop", "cli", "target", "trainyard.jsa");

    private ServerJvm() {}

    /** The start of a component's command line: program, options and the class path of this JVM; a main class is to follow. */
    public static List<String> command(Part part) {
        return command(part == Part.EXTENDER ? EXTENDER_OPTIONS : OPTIONS);
    }

    /** With other options than the usual ones. */
    public static List<String> command(List<String> options) {
        var command = new ArrayList<String>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        var archive = Path.of(System.getProperty("trainyard.root", "")).resolve(ARCHIVE);
        if (Files.exists(archive)) { // with one that is missing the JVM would not even use its own
            command.addAll(List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return List.copyOf(command);
    }
}
