package dev.trainyard.bench.scale;

import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The live objects of a JVM by class, after a full garbage collection.
 *
 * @param bytes size of all live objects
 * @param bytesOf size of the live objects of a class, by name
 */
record ClassHistogram(long bytes, Map<String, Long> bytesOf) {

    private static final Pattern LINE = Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+)  (\\S+)");
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

    ClassHistogram {
        bytesOf = Map.copyOf(bytesOf);
    }

    /** Collects the garbage of a JVM, and counts the objects that are left. */
    static ClassHistogram of(long pid) {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            var process = new ProcessBuilder(
                            jcmd.toString(), "-J-XX:+UseSerialGC", Long.toString(pid), "GC.class_histogram")
                    .redirectErrorStream(true)
                    .start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return parse(text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run %s; this benchmark needs a JDK".formatted(jcmd), e);
        }
    }

    /** @param text the output of {@code jcmd PID GC.class_histogram} */
    static ClassHistogram parse(String text) {
        var total = TOTAL.matcher(text);
        if (!total.find()) {
            throw new BenchException("jcmd GC.class_histogram printed no total, but: "
                    + text.lines().findFirst().orElse("nothing"));
        }
        var bytesOf = new HashMap<String, Long>();
        var line = LINE.matcher(text);
        while (line.find()) {
            bytesOf.merge(line.group(2), Long.parseLong(line.group(1)), Long::sum);
        }
        return new ClassHistogram(Long.parseLong(total.group(1)), bytesOf);
    }

    /** Returns the classes whose live objects grew most since {@code before}, the most first. */
    List<ClassGrowth> growthSince(ClassHistogram before, int most) {
        return bytesOf.entrySet().stream()
                .map(entry -> new ClassGrowth(
                        entry.getKey(), entry.getValue() - before.bytesOf.getOrDefault(entry.getKey(), 0L)))
                .filter(growth -> growth.bytes() > 0)
                .sorted((left, right) -> Long.compare(right.bytes(), left.bytes()))
                .limit(most)
                .toList();
    }
}
