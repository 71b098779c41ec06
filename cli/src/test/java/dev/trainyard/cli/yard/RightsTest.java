package dev.trainyard.cli.yard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What all Roles of the manifests have in common. */
class RightsTest {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");
    private static final Set<String> WHOLESALE = Set.of("*", "escalate", "bind", "impersonate", "deletecollection");

    /** A rule, and the file and Role that it is of. */
    private record Rule(String where, boolean ofCluster, JsonNode rule) {
        Set<String> words(String field) {
            var words = new TreeSet<String>();
            rule.path(field).forEach(word -> words.add(word.asText()));
            return words;
        }
    }

    private final List<Rule> rules = new ArrayList<>();
    private final List<JsonNode> bindings = new ArrayList<>();

    @BeforeEach
    void read() throws IOException {
        try (var files = Files.walk(MANIFESTS)) {
            for (var file : (Iterable<Path>) files.filter(RightsTest::isManifest)::iterator) {
                read(file);
            }
        }
        assertThat(rules).hasSizeGreaterThan(25);
        assertThat(bindings).hasSizeGreaterThan(10);
    }

    @Test
    void nothingIsAllowedWholesale() {
        assertThat(rules).allSatisfy(rule -> {
            assertThat(rule.words("verbs")).as(rule.where()).doesNotContainAnyElementsOf(WHOLESALE);
            assertThat(rule.words("resources")).as(rule.where()).isNotEmpty().doesNotContain("*", "*/*");
            assertThat(rule.words("apiGroups")).as(rule.where()).doesNotContain("*");
            assertThat(rule.words("nonResourceURLs")).as(rule.where()).isEmpty();
        });
    }

    @Test
    void secretsAreReadByNameAndInOneNamespace() {
        assertThat(rules.stream().filter(rule -> rule.words("resources").contains("secrets")))
                .isNotEmpty()
                .allSatisfy(rule -> {
                    assertThat(rule.ofCluster()).as(rule.where()).isFalse();
                    assertThat(rule.words("verbs").equals(Set.of("create"))
                                    || rule.words("resourceNames").size() == 1)
                            .as(rule.where())
                            .isTrue();
                });
    }

    /** Nobody can make himself more rights than he has, or a pod that has them. */
    @Test
    void noRightLeadsToMoreRights() {
        for (var resource : List.of(
                "roles",
                "clusterroles",
                "rolebindings",
                "clusterrolebindings",
                "serviceaccounts",
                "serviceaccounts/token",
                "pods/exec",
                "pods/ephemeralcontainers",
                "deployments",
                "jobs",
                "certificatesigningrequests")) {
            assertThat(rules).noneMatch(rule -> rule.words("resources").contains(resource));
        }
        assertThat(rules)
                .noneMatch(rule -> rule.words("resources").contains("pods")
                        && rule.words("verbs").contains("create"))
                .noneMatch(rule -> rule.words("resources").contains("pods")
                        && rule.words("verbs").contains("update"));
    }

    @Test
    void rightsAreForOurServiceAccountsOnly() {
        assertThat(bindings)
                .allSatisfy(binding -> assertThat(binding.path("subjects"))
                        .hasSize(1)
                        .allSatisfy(subject -> {
                            assertThat(subject.path("kind").asText()).isEqualTo("ServiceAccount");
                            assertThat(subject.path("name").asText()).startsWith("trainyard-");
                            assertThat(subject.path("namespace").asText()).isEqualTo("trainyard-system");
                        }));
    }

    private void read(Path file) throws IOException {
        try (var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            for (var document : documents.readAll()) {
                var kind = document.path("kind").asText();
                if (kind.equals("ClusterRole") || kind.equals("Role")) {
                    var where = MANIFESTS.relativize(file) + " "
                            + document.at("/metadata/name").asText();
                    document.path("rules")
                            .forEach(rule -> rules.add(new Rule(where, kind.equals("ClusterRole"), rule)));
                } else if (kind.endsWith("RoleBinding")) {
                    bindings.add(document);
                }
            }
        }
    }

    /** Files of the chart are copies. */
    private static boolean isManifest(Path file) {
        return file.toString().endsWith(".yaml") && !file.startsWith(MANIFESTS.resolve("chart"));
    }
}
