package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ServiceMonitor is valid by the Prometheus Operator's own definition, which its Go module contains. If Go or the module is
 * unavailable, the test is skipped with the reason, or fails with {@code CI=true}.
 */
@WithControlPlane
class ServiceMonitorIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path MONITOR = ROOT.resolve("manifests/components/service-monitor/service-monitor.yaml");
    private static final String MODULE = "github.com/prometheus-operator/prometheus-operator@v0.85.0";
    private static final String DEFINITION =
            "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml";

    @Test
    void isTakenAsItIsAndNotWithAMistakeInIt(
            ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory) throws Exception {
        RegisteredWebhook.install(client);
        var kubectl = new Kubectl(controlPlane, ROOT);
        var definition = module(directory).resolve(DEFINITION).toString();
        // The definition is too long for the annotation of apply.
        kubectl.succeed("create", "-f", definition);
        try {
            Definitions.awaitEstablished(client, "servicemonitors.monitoring.coreos.com");
            assertThat(create(kubectl, MONITOR).output()).endsWith("created (server dry run)");

            var mistaken = Files.writeString(
                    directory.resolve("mistaken.yaml"),
                    Files.readString(MONITOR).replace("interval: 30s", "intervall: 30s"));
            assertThat(create(kubectl, mistaken).output()).contains("unknown field \"spec.endpoints[0].intervall\"");
        } finally {
            kubectl.succeed("delete", "-f", definition);
        }
    }

    private static Kubectl.Result create(Kubectl kubectl, Path monitor) {
        return kubectl.run("create", "--dry-run=server", "--validate=strict", "-f", monitor.toString());
    }

    /** Returns the module's directory in Go's cache, after a download if necessary. */
    private static Path module(Path directory) throws IOException, InterruptedException {
        var go = GoTool.go().orElseThrow(() -> GoTool.unavailable("there is no go command"));
        var process = new ProcessBuilder(go.toString(), "mod", "download", "-json", MODULE)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw GoTool.unavailable(MODULE + " cannot be downloaded: " + output.strip());
        }
        return Path.of(new ObjectMapper().readTree(output).path("Dir").asText());
    }
}
