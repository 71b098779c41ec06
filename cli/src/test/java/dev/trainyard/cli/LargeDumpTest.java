package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a list of pods from {@code kubectl get -o json} that is larger than the heap of the process that reads it. */
@Tag("slow")
class LargeDumpTest {

    private static final long SIZE = 500_000_000;
    private static final String HEAP = "-Xmx400m";

    @TempDir
    private Path directory;

    @Test
    void isPlannedForInASmallHeap() throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var out = directory.resolve("out").toFile();
        var process = new ProcessBuilder(List.of(
                        java,
                        HEAP,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "plan",
                        "--resources",
                        Path.of(System.getProperty("trainyard.root"), "manifests", "examples")
                                .toString(),
                        "--resources",
                        "-"))
                .redirectErrorStream(true)
                .redirectOutput(out)
                .start();
        try (var input = new BufferedOutputStream(process.getOutputStream())) {
            write(input);
        } catch (IOException e) {
            // The process ended before it had read everything; its output has the reason.
        }

        assertThat(process.waitFor()).as(() -> "output: " + out).isZero();
        assertThat(out).content().contains("POOL").doesNotContain("problem:");
    }

    private static void write(OutputStream input) throws IOException {
        input.write("{\"apiVersion\": \"v1\", \"items\": [\n".getBytes(UTF_8));
        long written = 0;
        for (int number = 0; written < SIZE; number++) {
            var pod = (number == 0 ? "" : ",\n") + pod(number);
            written += pod.length();
            input.write(pod.getBytes(UTF_8));
        }
        input.write("], \"kind\": \"List\"}\n".getBytes(UTF_8));
    }

    private static String pod(int number) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-%1$d", "namespace": "team", "uid": "uid-%1$d",
                  "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"job": "train"}, "managedFields": [{"fieldsV1": "%2$s"}],
                  "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "1", "controller": true}]},
                 "spec": {"nodeName": "node-%3$d", "containers": [{"name": "main", "image": "train", "env": [{"name": "TEXT", "value": "%2$s"}],
                   "resources": {"requests": {"cpu": "4", "memory": "16Gi"}}}]},
                 "status": {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}]}}
                """.formatted(number, "text ".repeat(1_500), number % 500);
    }
}
