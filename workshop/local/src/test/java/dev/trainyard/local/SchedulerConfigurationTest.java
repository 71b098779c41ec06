package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SchedulerConfigurationTest {
    private static final Path KUBECONFIG = Path.of("/somewhere/kubeconfig");

    @Test
    void getsAKubeconfigAndNoLeaderElection() {
        assertThat(complete(SchedulerConfiguration.DEFAULT)).isEqualTo(yaml("""
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        clientConnection: {kubeconfig: /somewhere/kubeconfig}
                        leaderElection: {leaderElect: false}
                        """));
    }

    @Test
    void keepsEverythingElse() {
        assertThat(complete("""
                        kind: KubeSchedulerConfiguration
                        clientConnection: {qps: 200, kubeconfig: other}
                        leaderElection: {leaderElect: true, resourceName: mine}
                        extenders:
                        - {urlPrefix: "https://127.0.0.1:1/x", tlsConfig: {caFile: /ca}}
                        """)).isEqualTo(yaml("""
                        kind: KubeSchedulerConfiguration
                        clientConnection: {qps: 200, kubeconfig: /somewhere/kubeconfig}
                        leaderElection: {leaderElect: true, resourceName: mine}
                        extenders:
                        - {urlPrefix: "https://127.0.0.1:1/x", tlsConfig: {caFile: /ca}}
                        """));
    }

    @Test
    void mustBeASchedulerConfiguration() {
        assertThatThrownBy(() -> SchedulerConfiguration.complete("kind: Pod", KUBECONFIG))
                .hasMessageContaining("KubeSchedulerConfiguration, not Pod");
        assertThatThrownBy(() -> SchedulerConfiguration.complete("- 1", KUBECONFIG))
                .hasMessageContaining("must be a YAML object");
    }

    private static Object complete(String text) {
        return yaml(SchedulerConfiguration.complete(text, KUBECONFIG));
    }

    private static Object yaml(String text) {
        return Serialization.unmarshal(text, Object.class);
    }
}
