package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.resource.TrainingPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesClientsTest {

    private static final String KUBECONFIG = """
            apiVersion: v1
            kind: Config
            current-context: c
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            users: [{name: u, user: {}}]
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"<project>\n  <!-- a: b -->\n  <a>b: c</a>\n", "clusters: [", "just text", "- 1\n- 2\n"})
    void aFileThatIsNoKubeconfigIsNamedInOneLine(String text) throws IOException {
        var file = Files.writeString(directory.resolve("kubeconfig"), text);

        assertThatThrownBy(() -> KubernetesClients.open(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("kubeconfig " + file + " cannot be read: ")
                .extracting(Throwable::getMessage)
                .asString()
                .hasLineCount(1);
    }

    @Test
    void aKubeconfigNamesTheCluster() throws IOException {
        var file = Files.writeString(directory.resolve("kubeconfig"), KUBECONFIG);
        try (var client = KubernetesClients.open(file)) {
            assertThat(client.getMasterUrl()).hasToString("http://127.0.0.1:1/");
        }
    }

    @Test
    void thatThereIsNoKubeconfigIsSaid() {
        var none = directory.resolve("none").toString();
        System.setProperty("kubeconfig", none);
        try {
            assertThatThrownBy(() -> KubernetesClients.open(null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "there is no kubeconfig %s, and this process does not run in a pod; name a kubeconfig with --kubeconfig or in KUBECONFIG",
                            none);
        } finally {
            System.clearProperty("kubeconfig");
        }
    }

    @Test
    void aMistakeInTheUsualKubeconfigIsSaid() throws IOException {
        var file = Files.writeString(
                directory.resolve("kubeconfig"), KUBECONFIG.replace("current-context: c", "current-context: gone"));
        System.setProperty("kubeconfig", file.toString());
        try {
            assertThatThrownBy(() -> KubernetesClients.open(null))
                    .hasMessageStartingWith(
                            "kubeconfig %s: current-context = gone, expected one of its contexts: c;".formatted(file));
        } finally {
            System.clearProperty("kubeconfig");
        }
    }

    /** A client that uses the API server's IP address does not depend on the cluster's DNS. */
    @Test
    void inAClusterTheApiServerIsCalledByItsAddress() {
        var settings = Map.of(
                "KUBERNETES_SERVICE_HOST",
                "10.96.0.1",
                "KUBERNETES_SERVICE_PORT",
                "443",
                "kubeconfig",
                directory.resolve("none").toString());
        settings.forEach(System::setProperty);
        try (var client = KubernetesClients.open(null)) {
            assertThat(client.getMasterUrl()).hasToString("https://10.96.0.1:443/");
        } finally {
            settings.keySet().forEach(System::clearProperty);
        }
    }

    /** With strict reading, one pool with an unknown member or value would prevent the listing of all pools. */
    @Test
    void whatANewerDefinitionHasIsPassedOver() throws IOException {
        var file = Files.writeString(directory.resolve("kubeconfig"), KUBECONFIG);
        try (var client = KubernetesClients.open(file)) {
            var pool = client.getKubernetesSerialization()
                    .unmarshal(
                            "metadata: {name: p}\nspec: {max: 3, capacityType: reserved, addedLater: {a: 1}}",
                            TrainingPool.class);

            assertThat(pool.getSpec().max()).isEqualTo(3);
            assertThat(pool.getSpec().capacityType()).isNull();
        }
    }
}
