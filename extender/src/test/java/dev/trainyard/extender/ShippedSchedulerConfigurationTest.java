package dev.trainyard.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the promises in the comments of {@code manifests/base/extender/scheduler-config.yaml}. */
class ShippedSchedulerConfigurationTest {

    /** The default weights of score plugins in Kubernetes 1.36: {@code pkg/scheduler/apis/config/v1/default_plugins.go}. */
    private static final Map<String, Integer> IN_TREE = Map.of(
            "TaintToleration", 3,
            "NodeAffinity", 2,
            "PodTopologySpread", 2,
            "InterPodAffinity", 2,
            "DynamicResources", 2,
            "NodeResourcesFit", 1,
            "NodeResourcesBalancedAllocation", 1,
            "ImageLocality", 1);

    private JsonNode configuration;
    private JsonNode profile;
    private JsonNode extender;

    @BeforeEach
    void read() throws IOException {
        var file = Path.of(System.getProperty("trainyard.root"), "manifests/base/extender/scheduler-config.yaml");
        configuration = new YAMLMapper().readTree(file.toFile());
        profile = configuration.at("/profiles/0");
        extender = configuration.at("/extenders/0");
    }

    @Test
    void servesThePodsThatTheWebhookSendsAndLooksAtAllNodes() {
        assertThat(profile.path("schedulerName").asText()).isEqualTo(Names.SCHEDULER);
        assertThat(profile.path("percentageOfNodesToScore").asInt()).isEqualTo(100);
    }

    @Test
    void asksTheExtenderForWhatItAnswers() {
        assertThat("/" + extender.path("filterVerb").asText()).isEqualTo(Verbs.CHOOSE);
        assertThat("/" + extender.path("prioritizeVerb").asText()).isEqualTo(Verbs.PRIORITIZE);
        assertThat("/" + extender.path("preemptVerb").asText()).isEqualTo(Verbs.PREEMPT);
        assertThat(extender.path("urlPrefix").asText())
                .isEqualTo("https://" + ExtenderOptions.withTls(Path.of("tls")).listen());
        assertThat(extender.path("nodeCacheCapable").asBoolean()).isTrue();
        assertThat(extender.path("ignorable").asBoolean()).isTrue();
        assertThat(extender.has("managedResources")).isFalse();
    }

    @Test
    void verifiesTheExtenderAndPresentsACertificate() {
        assertThat(extender.path("tlsConfig").fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("caFile", "certFile", "keyFile");
        // With enableHTTPS, a configuration without its CA would work without verification.
        assertThat(extender.has("enableHTTPS")).isFalse();
    }

    @Test
    void letsOneStepOfTheExtenderOutweighAllPlugins() {
        var weights = new HashMap<>(IN_TREE);
        profile.at("/plugins/score/disabled")
                .forEach(plugin -> weights.remove(plugin.path("name").asText()));
        int plugins = 100 * weights.values().stream().mapToInt(weight -> weight).sum();

        assertThat(weights).doesNotContainKey("NodeResourcesBalancedAllocation");
        assertThat(10 * extender.path("weight").asInt()).isGreaterThan(plugins);
    }
}
