package dev.trainyard.bench.process;

import java.util.List;
import java.util.stream.Stream;

/** Command lines of servers under measurement. */
public final class ServerCommand {

    private ServerCommand() {}

    /**
     * Returns the command that starts a server.
     *
     * @param jvm program and options that start a JVM, with the class path
     * @param what main class and fixed arguments
     */
    public static List<String> of(List<String> jvm, List<String> what, String... arguments) {
        return Stream.of(jvm, what, List.of(arguments)).flatMap(List::stream).toList();
    }

    /** Returns the JVM options that begin with {@code -X}, for a report. */
    public static List<String> options(List<String> jvm) {
        return jvm.stream().filter(option -> option.startsWith("-X")).toList();
    }
}
