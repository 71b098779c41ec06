package dev.trainyard.bench.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerConfigurationsTest {

    private static final Path INSTALLED =
            Path.of(System.getProperty("trainyard.root"), "manifests/base/extender/scheduler-config.yaml");

    private static final Path PLUGINS = Path.of(
            System.getProperty("trainyard.root"),
            "manifests/components/scheduler-profile-plugins/scheduler-config.yaml");

    private final SchedulerConfigurations configurations;
    private final JsonNode plugins;
    private final JsonNode installed;

    SchedulerConfigurationsTest() throws IOException {
        var text = Files.readString(INSTALLED);
        installed = parsed(text);
        plugins = parsed(Files.readString(PLUGINS));
        configurations = new SchedulerConfigurations(text, Files.readString(PLUGINS));
    }

    @Test
    void theTwoDifferByTheExtenderOnly() throws IOException {
        var with = parsed(configurations.with(ApiRate.UNLIMITED, 4711, Path.of("/tls")));
        var without = parsed(configurations.without(ApiRate.UNLIMITED));

        assertThat(without.has("extenders")).isFalse();
        ((ObjectNode) with).remove("extenders");
        assertThat(with).isEqualTo(without);
        assertThat(without.path("profiles")).isEqualTo(installed.path("profiles"));
    }

    @Test
    void theExtenderIsTheInstalledOneAtAnotherAddress() throws IOException {
        var extender = parsed(configurations.with(ApiRate.UNLIMITED, 4711, Path.of("/tls")))
                .at("/extenders/0");

        assertThat(extender.path("urlPrefix").asText()).isEqualTo("https://127.0.0.1:4711");
        assertThat(extender.at("/tlsConfig/certFile").asText()).isEqualTo("/tls/tls.crt");
        for (var field : List.of("filterVerb", "prioritizeVerb", "weight", "httpTimeout", "nodeCacheCapable")) {
            var expected = installed.at("/extenders/0").path(field).asText();
            assertThat(extender.path(field).asText()).isEqualTo(expected).isNotEmpty();
        }
    }

    @Test
    void saysHowOftenTheApiServerMayBeCalled() throws IOException {
        var connection = parsed(configurations.without(ApiRate.USUAL)).path("clientConnection");

        assertThat(connection.path("qps").asInt()).isEqualTo(50);
        assertThat(connection.path("burst").asInt()).isEqualTo(100);
    }

    @Test
    void theProfileWithoutTheExtenderIsTheInstalledOne() throws IOException {
        var alone = parsed(configurations.plugins(ApiRate.USUAL));

        assertThat(alone.path("profiles")).isEqualTo(plugins.path("profiles"));
        assertThat(alone.has("extenders")).isFalse();
        assertThat(alone.at("/leaderElection/leaderElect").asBoolean(true)).isFalse();
        assertThat(alone.at("/clientConnection/qps").asInt()).isEqualTo(50);
    }

    @Test
    void wantsAnExtenderToLeaveOut() {
        assertThatThrownBy(() -> new SchedulerConfigurations("kind: KubeSchedulerConfiguration", ""))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("extenders")
                .hasMessageContaining("expected a list of one");
    }

    private static JsonNode parsed(String yaml) throws IOException {
        return new YAMLMapper().readTree(yaml);
    }
}
