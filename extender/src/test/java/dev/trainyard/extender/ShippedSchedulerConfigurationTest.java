package dev.trainyard.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the promises in the comments of {@code manifests/base/extender/scheduler-config.yaml}, and of the configuration without the
 * extender.
 */
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

    private ObjectNode configuration;
    private JsonNode profile;
    private JsonNode extender;

    @BeforeEach
    void read() throws IOException {
        configuration = read("base/extender/scheduler-config.yaml");
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
        var weights = weights(profile);

        assertThat(weights).doesNotContainKey("NodeResourcesBalancedAllocation");
        assertThat(10 * extender.path("weight").asInt()).isGreaterThan(100 * sum(weights));
    }

    @Test
    void letsTheTiersOrderOutweighAllOtherPluginsWithoutTheExtender() throws IOException {
        var weights = weights(withoutExtender().at("/profiles/0"));
        int affinity = weights.remove("NodeAffinity");

        // The webhook's weights are 100, 50, 25, 12, 6, 3 and 1. A preference of the pod itself may halve them: 3 and 1
        // become 1 and 0.
        int leastStep = 1;
        assertThat(leastStep * affinity).isGreaterThan(100 * sum(weights));
    }

    @Test
    void differsWithoutTheExtenderOnlyInWhatTheExtenderNeedsOrReplaces() throws IOException {
        var alone = withoutExtender();
        var own = (ObjectNode) alone.at("/profiles/0");
        ((ObjectNode) own.at("/plugins/score")).remove("enabled");
        var spreading = ((ArrayNode) own.at("/pluginConfig")).remove(0);
        assertThat(spreading.path("name").asText()).isEqualTo("PodTopologySpread");
        assertThat(spreading.at("/args/defaultingType").asText()).isEqualTo("List");
        assertThat(spreading.at("/args").has("defaultConstraints")).isFalse();

        configuration.remove("extenders");
        ((ObjectNode) profile).remove("percentageOfNodesToScore");
        assertThat(alone).isEqualTo(configuration);
    }

    private static Map<String, Integer> weights(JsonNode profile) {
        var weights = new HashMap<>(IN_TREE);
        profile.at("/plugins/score/disabled")
                .forEach(plugin -> weights.remove(plugin.path("name").asText()));
        profile.at("/plugins/score/enabled")
                .forEach(plugin -> weights.put(
                        plugin.path("name").asText(), plugin.path("weight").asInt()));
        return weights;
    }

    private static int sum(Map<String, Integer> weights) {
        return weights.values().stream().mapToInt(weight -> weight).sum();
    }

    private static ObjectNode withoutExtender() throws IOException {
        return read("components/scheduler-profile-plugins/scheduler-config.yaml");
    }

    private static ObjectNode read(String manifest) throws IOException {
        var file = Path.of(System.getProperty("trainyard.root"), "manifests", manifest);
        return (ObjectNode) new YAMLMapper().readTree(file.toFile());
    }
}
