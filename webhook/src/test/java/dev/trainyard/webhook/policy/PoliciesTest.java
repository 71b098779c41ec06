package dev.trainyard.webhook.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.webhook.decision.RandomCluster;
import dev.trainyard.webhook.decision.Samples;
import dev.trainyard.webhook.pod.GpuNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Tests of the printed policies. PolicyIT in e2e tests their effect. */
class PoliciesTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "webhook", "src", "test", "resources", "policy", "data.yaml");
    private static final Pattern USED = Pattern.compile("variables\\.([A-Za-z]+)");
    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory()
            .disable(Feature.SPLIT_LINES)
            .enable(Feature.MINIMIZE_QUOTES)
            .enable(Feature.LITERAL_BLOCK_STYLE)
            .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR));

    /**
     * Compares the data of the example tiers with a golden file; all other parts of policies are constant. Rewrite with
     * -Dtrainyard.update=true.
     */
    @Test
    void everyTierHasItsData() throws IOException {
        var data = YAML.createObjectNode();
        for (var object : policies(Samples.catalogue()).objects()) {
            if (object.path("kind").asText().endsWith("Binding")) {
                continue;
            }
            var variables = data.putObject(object.path("kind").asText() + " "
                    + object.at("/metadata/name").asText());
            var rules = List.of("gpuNames", "secretNames", "applies", "wrongAmounts");
            boolean isData = false;
            for (var variable : object.at("/spec/variables")) {
                var name = variable.path("name").asText();
                isData = rules.contains(name) ? name.equals("secretNames") : isData;
                if (isData && !rules.contains(name)) {
                    variables.set(name, variable.path("expression"));
                }
            }
        }
        var text = YAML.writeValueAsString(data);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(GOLDEN, text);
        }
        assertThat(GOLDEN).hasContent(text);
    }

    @Property(seed = "42", tries = 200)
    void everyVariableIsDefinedBeforeItIsUsed(@ForAll Random random) {
        for (var policy : policies(new RandomCluster(random).catalogue()).objects()) {
            var defined = new HashSet<String>();
            for (var variable : policy.at("/spec/variables")) {
                assertThat(defined).containsAll(used(variable.path("expression")));
                assertThat(defined.add(variable.path("name").asText()))
                        .as("%s", variable)
                        .isTrue();
            }
            policy.at("/spec/mutations")
                    .forEach(mutation -> assertThat(defined).containsAll(used(mutation.at("/jsonPatch/expression"))));
        }
    }

    private static List<String> used(JsonNode expression) {
        return USED.matcher(expression.asText())
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Property(seed = "42", tries = 200)
    void everyPolicyHasABindingAndANameOfItsOwn(@ForAll Random random) {
        var objects = policies(new RandomCluster(random).catalogue()).objects();
        var names = new ArrayList<String>();
        for (int index = 0; index < objects.size(); index += 2) {
            var policy = objects.get(index);
            var binding = objects.get(index + 1);
            names.add(policy.at("/metadata/name").asText());
            assertThat(binding.path("kind").asText())
                    .isEqualTo(policy.path("kind").asText() + "Binding");
            assertThat(binding.at("/spec/policyName")).isEqualTo(policy.at("/metadata/name"));
        }
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9.-]{1,253}"));
    }

    @Test
    void noPodIsKeptFromBeingCreatedByAFaultOfOurs() {
        assertThat(policies(Samples.catalogue()).objects())
                .filteredOn(object -> object.path("kind").asText().endsWith("Policy"))
                .allSatisfy(policy ->
                        assertThat(policy.at("/spec/failurePolicy").asText()).isEqualTo("Ignore"));
    }

    @Test
    void ownNamespaceAndThatOfTheSystemAreLeftAlone() {
        assertThat(Policies.of(Samples.catalogue(), "yard", GpuNames.DEFAULT).objects())
                .filteredOn(object -> object.path("kind").asText().endsWith("Policy"))
                .allSatisfy(policy -> assertThat(
                                policy.at("/spec/matchConstraints/namespaceSelector/matchExpressions/0/values")
                                        .toString())
                        .isEqualTo("[\"kube-system\",\"yard\"]"));
    }

    @Test
    void noPolicyLooksAtAPodThatWishesForAKindOfGpu() {
        assertThat(policies(Samples.catalogue()).objects())
                .filteredOn(object -> object.path("kind").asText().endsWith("Policy"))
                .allSatisfy(policy -> assertThat(
                                policy.at("/spec/matchConditions").findValuesAsText("expression"))
                        .anySatisfy(
                                expression -> assertThat(expression).contains(Names.GPU_MEMORY, Names.GPU_PRODUCT)));
    }

    @Test
    void conditionsKnowEveryNameOfAGpu() {
        var objects = Policies.of(Samples.catalogue(), Names.NAMESPACE, GpuNames.with(List.of("example.com/gpu")))
                .objects();

        assertThat(objects.get(0).at("/spec/matchConditions/0/expression").asText())
                .contains(ResourceNames.GPU, "example.com/gpu")
                .contains(ResourceNames.ALIASES.keySet())
                .doesNotContain("GPU_NAMES");
        assertThat(objects.toString()).doesNotContain("GPU_NAMES");
    }

    @Test
    void aTierWithoutAUsableNameIsLeftOutWithARemark() {
        var spec = new TrainingTierSpec(List.of("cpu"));
        var catalogue = Catalogue.of(Map.of(), Map.of("Heavy_GPU", spec, "x".repeat(250), spec, "fine", spec));

        var policies = policies(catalogue);

        assertThat(policies.remarks())
                .anySatisfy(remark -> assertThat(remark).contains("Heavy_GPU", "rename the tier"))
                .anySatisfy(remark -> assertThat(remark).contains("x".repeat(250), "rename the tier"));
        assertThat(policies.objects().stream()
                        .map(object -> object.at("/metadata/name").asText())
                        .distinct())
                .containsExactly("trainyard-tier-fine", Policies.ALL_PODS, Policies.REFUSALS);
    }

    @Test
    void saysWhatCannotBeHad() {
        assertThat(policies(Samples.catalogue()).remarks())
                .containsExactlyInAnyOrder(
                        "pods with the annotation trainyard.dev/gpu-memory or trainyard.dev/gpu-product are left "
                                + "unchanged: policies cannot evaluate requests for a kind of GPU",
                        "Jobs are left unchanged: reclaims and evictions count as failures of a Job",
                        "TrainingTier 'any-gpu': pods get no scheduling gate, so gangs of the tier start in parts",
                        "TrainingTier 'poolless': the tier has no pool that can be used, so its pods get no placement");
    }

    /** CEL chooses the names of all volumes at once, so two mounts must not share a name. */
    @Test
    void noTwoMountsHaveAVolumeNameInCommon() {
        var tier = Samples.yaml("""
                pools: [cpu]
                driver:
                  mode: hostPath
                  extraLibraries: [/a/libx.so, /b/libx.so, /c/bin, /d/trainyard-bin, /e/trainyard-libx-so]
                """);
        var catalogue = Catalogue.of(Map.of(), Map.of("same", YAML.convertValue(tier, TrainingTierSpec.class)));

        var mounts = StreamSupport.stream(
                        policies(catalogue)
                                .objects()
                                .get(0)
                                .at("/spec/variables")
                                .spliterator(),
                        false)
                .filter(variable -> variable.path("name").asText().equals("mounts"))
                .findFirst()
                .orElseThrow();

        var names = Pattern.compile("\"names\": dyn\\(\\[(.*?)]\\)")
                .matcher(mounts.path("expression").asText())
                .results()
                .flatMap(match -> List.of(match.group(1).split(", ")).stream())
                .toList();
        assertThat(names).hasSize(8 * 8).doesNotHaveDuplicates();
    }

    private static Policies policies(Catalogue catalogue) {
        return Policies.of(catalogue, Names.NAMESPACE, GpuNames.DEFAULT);
    }
}
