package dev.trainyard.workshop.cluster;

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

/** Tests of rules that all Roles of the manifests must follow. */
class ManifestRightsTest {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");
    private static final Set<String> WHOLESALE = Set.of("*", "escalate", "bind", "impersonate", "deletecollection");

    /** A rule with its file and Role. */
    private record Rule(String where, String role, boolean ofCluster, JsonNode rule) {
        Set<String> words(String field) {
            var words = new TreeSet<String>();
            rule.path(field).forEach(word -> words.add(word.asText()));
            return words;
        }
    }

    private final List<Rule> rules = new ArrayList<>();
    private final List<JsonNode> bindings = new ArrayList<>();
    private final List<JsonNode> policies = new ArrayList<>();
    private final List<JsonNode> policyBindings = new ArrayList<>();

    @BeforeEach
    void read() throws IOException {
        try (var files = Files.walk(MANIFESTS)) {
            for (var file : (Iterable<Path>) files.filter(ManifestRightsTest::isManifest)::iterator) {
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

    /** No component may extend its own rights, or create a pod with more rights. To read a Job gives no right. */
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
            assertThat(rules)
                    .noneMatch(rule -> rule.words("resources").contains(resource)
                            && !(resource.equals("jobs") && rule.words("verbs").equals(Set.of("get"))));
        }
        assertThat(rules)
                .noneMatch(rule -> rule.words("resources").contains("pods")
                        && rule.words("verbs").contains("create"))
                .noneMatch(rule -> rule.words("resources").contains("pods")
                        && rule.words("verbs").contains("update"));
    }

    /** RBAC cannot limit created Secrets by name or type, and a Secret of another type can get the token of any ServiceAccount. */
    @Test
    void whoMayCreateSecretsIsLeftOneByAPolicy() {
        var creating = rules.stream()
                .filter(rule -> rule.words("resources").contains("secrets")
                        && rule.words("verbs").contains("create"))
                .map(Rule::role)
                .distinct()
                .toList();
        assertThat(creating).hasSize(3);
        for (var role : creating) {
            var own = rules.stream()
                    .filter(rule ->
                            rule.role().equals(role) && rule.words("resources").contains("secrets"))
                    .flatMap(rule -> rule.words("resourceNames").stream())
                    .toList();
            assertThat(own).as(role).hasSize(1);
            var accounts = bindings.stream()
                    .filter(binding -> binding.at("/roleRef/name").asText().equals(role))
                    .map(binding -> binding.at("/subjects/0/name").asText())
                    .toList();
            assertThat(accounts).as(role).isNotEmpty();
            for (var account : accounts) {
                assertThat(policies)
                        .as("a policy that leaves %s the Secret %s", account, own)
                        .anySatisfy(policy -> assertLeavesNoOtherSecret(policy, account, own.get(0)));
            }
        }
        // With the cluster's own scheduler, the extender has its own ServiceAccount, which a patch puts into the
        // binding.
        assertThat(policies)
                .anySatisfy(policy -> assertLeavesNoOtherSecret(policy, "trainyard-extender", "trainyard-internal-ca"));
    }

    private void assertLeavesNoOtherSecret(JsonNode policy, String account, String secret) {
        var resources = policy.at("/spec/matchConstraints/resourceRules/0");
        assertThat(resources.path("resources").toString()).isEqualTo("[\"secrets\"]");
        assertThat(resources.path("operations").toString()).isEqualTo("[\"CREATE\"]");
        assertThat(policy.at("/spec/failurePolicy").asText()).isEqualTo("Fail");
        assertThat(policy.at("/spec/matchConditions"))
                .singleElement()
                .satisfies(condition -> assertThat(condition.path("expression").asText())
                        .isEqualTo("request.userInfo.username.startsWith"
                                + "('system:serviceaccount:trainyard-system:trainyard-')"));
        assertThat(policy.at("/spec/variables").findValuesAsText("expression"))
                .anyMatch(expression -> expression.contains("'%s': '%s'".formatted(account, secret)));
        assertThat(policy.at("/spec/validations").findValuesAsText("expression"))
                .contains("object.type == 'Opaque'")
                .hasSize(2);
        assertThat(policyBindings).anySatisfy(binding -> {
            assertThat(binding.at("/spec/policyName")).isEqualTo(policy.at("/metadata/name"));
            assertThat(binding.at("/spec/validationActions").toString()).isEqualTo("[\"Deny\"]");
        });
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
                    var role = document.at("/metadata/name").asText();
                    var where = MANIFESTS.relativize(file) + " " + role;
                    document.path("rules")
                            .forEach(rule -> rules.add(new Rule(where, role, kind.equals("ClusterRole"), rule)));
                } else if (kind.endsWith("RoleBinding")) {
                    bindings.add(document);
                } else if (kind.equals("ValidatingAdmissionPolicy")) {
                    policies.add(document);
                } else if (kind.equals("ValidatingAdmissionPolicyBinding")) {
                    policyBindings.add(document);
                }
            }
        }
    }

    /** Whether the file is a manifest; files of the chart are only copies. */
    private static boolean isManifest(Path file) {
        return file.toString().endsWith(".yaml") && !file.startsWith(MANIFESTS.resolve("chart"));
    }
}
