package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubernetesClientsTest {

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
        var file = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                users: [{name: u, user: {}}]
                """);
        try (var client = KubernetesClients.open(file)) {
            assertThat(client.getMasterUrl()).hasToString("http://127.0.0.1:1/");
        }
    }
}
