package dev.trainyard.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.webhook.admission.MutateHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A check that the registration in {@code manifests/base/webhook} sends the pods that the code handles. */
class ManifestTest {

    private static final Path MANIFEST =
            Path.of(System.getProperty("trainyard.root"), "manifests", "base", "webhook", "webhook-configuration.yaml");

    private JsonNode webhooks;
    private JsonNode webhook;

    @BeforeEach
    void read() throws IOException {
        webhooks = new YAMLMapper().readTree(MANIFEST.toFile()).path("webhooks");
        webhook = webhooks.path(0);
    }

    /**
     * The second webhook entry is for pods that the first entry does not match, in namespaces with the label {@link Names#ALL_PODS}. No pod
     * matches both entries.
     */
    @Test
    void theEntryForAllPodsTakesThoseThatTheFirstLeaves() {
        var rest = (ObjectNode) webhooks.path(1).deepCopy();

        assertThat(rest.at("/namespaceSelector/matchLabels").toString())
                .isEqualTo("{\"%s\":\"true\"}".formatted(Names.ALL_PODS));
        assertThat(words(rest.at("/matchConditions/0/expression")))
                .isEqualTo("!(" + words(webhook.at("/matchConditions/0/expression")) + ")");
        ((ObjectNode) rest.path("namespaceSelector")).remove("matchLabels");
        for (var same : List.of("clientConfig", "rules", "failurePolicy", "sideEffects", "namespaceSelector")) {
            assertThat(rest.path(same)).isEqualTo(webhook.path(same));
        }
        assertThat(rest.at("/matchConditions/1")).isEqualTo(webhook.at("/matchConditions/1"));
    }

    /** The entries for Jobs have the conditions of the entries for pods, applied to the template of the Job's pods. */
    @Test
    void theEntriesForJobsTakeTheJobsOfThosePods() {
        for (int index = 0; index < 2; index++) {
            var pods = webhooks.path(index);
            var jobs = webhooks.path(index + 2);

            assertThat(jobs.path("rules").toString())
                    .isEqualTo(
                            "[{\"apiGroups\":[\"batch\"],\"apiVersions\":[\"v1\"],\"operations\":[\"CREATE\"],\"resources\":[\"jobs\"],\"scope\":\"Namespaced\"}]");
            assertThat(words(jobs.at("/matchConditions/0/expression"))
                            .replace("has(object.spec.template.metadata) && ", "")
                            .replace("object.spec.template.", "object."))
                    .isEqualTo(words(pods.at("/matchConditions/0/expression")));
            for (var same :
                    List.of("clientConfig", "failurePolicy", "sideEffects", "timeoutSeconds", "namespaceSelector")) {
                assertThat(jobs.path(same)).isEqualTo(pods.path(same));
            }
        }
    }

    private static String words(JsonNode expression) {
        return expression.asText().replaceAll("\\s+", " ").replace("( ", "(").replace(" )", ")");
    }

    @Test
    void callsThePathThatIsServed() {
        assertThat(webhook.at("/clientConfig/service/path").asText()).isEqualTo(MutateHandler.PATH);
        assertThat(webhook.at("/admissionReviewVersions").toString()).isEqualTo("[\"v1\"]");
    }

    @Test
    void canDoNoHarm() {
        assertThat(webhook.path("failurePolicy").asText()).isEqualTo("Ignore");
        assertThat(webhook.path("sideEffects").asText()).isEqualTo("None");
        assertThat(webhook.at("/namespaceSelector/matchExpressions/0/values").toString())
                .contains("kube-system", Names.NAMESPACE);
        assertThat(webhook.has("caBundle")).isFalse();
    }

    @Test
    void conditionsKnowEveryNameOfAGpuAndTheTierAnnotation() {
        var wants = webhook.at("/matchConditions/0/expression").asText();

        assertThat(wants).contains("'" + ResourceNames.GPU + "'", "'" + Names.TIER + "'");
        assertThat(ResourceNames.ALIASES.keySet())
                .allSatisfy(name -> assertThat(wants).contains("'" + name + "'"));
    }
}
