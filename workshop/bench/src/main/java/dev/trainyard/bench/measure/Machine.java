package dev.trainyard.bench.measure;

/** Where it was measured. */
public final class Machine {

    private Machine() {}

    /** CPUs, operating system and Java. */
    public static String inWords() {
        return "%d CPUs, %s %s, Java %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
    }
}
