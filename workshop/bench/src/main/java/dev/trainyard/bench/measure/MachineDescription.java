package dev.trainyard.bench.measure;

/** A description of the machine that runs the benchmark. */
public final class MachineDescription {

    private MachineDescription() {}

    /** Returns CPUs, operating system and Java version. */
    public static String inWords() {
        return "%d CPUs, %s %s, Java %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
    }
}
