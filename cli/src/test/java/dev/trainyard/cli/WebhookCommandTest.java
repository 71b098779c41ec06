package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WebhookCommandTest {

    private static final Pattern OPERATIONS = Pattern.compile("serving probes and metrics url=(\\S+)");
    private static final Pattern PROBLEM = Pattern.compile("WARN.*configuration: ([^;]*);");
    private static final Pattern SUMMARY = Pattern.compile("configuration: (.* tiers)");
    private static final Pattern DRAINING = Pattern.compile("draining for ([0-9]+) s");
    private static final Pattern READY = Pattern.compile("webhook ready on (\\S+)");
    private static final String REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
              "uid": "u-1", "operation": "CREATE", "namespace": "default", "kind": {"kind": "Pod"},
              "object": {"spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}}}
            """;

    @TempDir
    private Path directory;

    @Test
    @Timeout(120)
    void afterSigtermItIsNotReadyAndServesOn() throws Exception {
        var tls = directory.resolve("tls");
        var resources = Files.createDirectory(directory.resolve("resources"));
        var examples = Path.of(System.getProperty("trainyard.root"), "manifests", "examples");
        Files.copy(examples.resolve("pools.yaml"), resources.resolve("pools.yaml"));
        Files.copy(examples.resolve("tiers.yaml"), resources.resolve("tiers.yaml"));
        Files.writeString(
                resources.resolve("wrong.yaml"), "{kind: TrainingTier, metadata: {name: t}, spec: {pols: [a]}}");
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "webhook",
                        "--tls-dir=" + tls,
                        "--resources=" + resources,
                        "--listen=127.0.0.1:0",
                        "--operations-listen=127.0.0.1:0",
                        "--drain=100") // longer than this test, which kills the process
                .redirectErrorStream(true)
                .start();
        try (var output = reader(process)) {
            assertThat(find(PROBLEM, output)).isEqualTo("TrainingTier t: spec.pols: unknown field");
            assertThat(find(SUMMARY, output)).matches("[0-9]+ pools, 3 tiers");
            var operations = find(OPERATIONS, output);
            var url = find(READY, output);
            assertThat(get(operations + "/readyz").statusCode()).isEqualTo(200);

            process.toHandle().destroy(); // SIGTERM; Process.destroy() would close the output too
            while (get(operations + "/readyz").statusCode() == 200) {
                Thread.onSpinWait();
            }

            assertThat(get(operations + "/readyz").body()).isEqualTo("shutdown: this process is about to end\n");
            assertThat(get(operations + "/healthz").statusCode()).isEqualTo(200);
            assertThat(find(DRAINING, output)).isEqualTo("100");
            assertThat(post(tls, url).body()).contains("\"patchType\":\"JSONPatch\"");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Posts a review on a new connection. */
    private static HttpResponse<String> post(Path tls, String url) throws Exception {
        var asTheWebhookWantsIt = LeafRequest.forServer("trainyard-webhook")
                .withDnsNames("localhost")
                .withIpAddresses("127.0.0.1");
        var ca = TlsDirectory.open(tls, asTheWebhookWantsIt, Clock.systemUTC()).current();
        return HttpClient.newBuilder()
                .sslContext(ca.sslContextWithoutCertificate())
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .POST(BodyPublishers.ofString(REVIEW))
                                .build(),
                        BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    private static String find(Pattern pattern, BufferedReader output) throws IOException {
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            var match = pattern.matcher(line);
            if (match.find()) {
                return match.group(1);
            }
        }
        throw new AssertionError("it ended without saying " + pattern);
    }
}
