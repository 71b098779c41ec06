package dev.trainyard.workshop.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that values in several manifests agree. */
class DeploymentsTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path BASE = ROOT.resolve("manifests/base");
    private static final Pattern SNAPSHOT = Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+-SNAPSHOT");
    private static final String DEFAULT_SCHEDULER = "../overlays/default-scheduler/";

    @ParameterizedTest
    @CsvSource({
        "WEBHOOK,  webhook/deployment.yaml",
        "EXTENDER, extender/deployment.yaml",
        "EXTENDER, ../overlays/default-scheduler/deployment.yaml",
        "SCALER,   scaler/deployment.yaml"
    })
    void componentsRunInTheJvmThatWasMeasured(InstalledComponent part, String file) throws IOException {
        var measured = part == InstalledComponent.EXTENDER ? ServerJvm.EXTENDER_OPTIONS : ServerJvm.OPTIONS;

        assertThat(environment(container(part, file)))
                .hasEntrySatisfying(
                        "JDK_JAVA_OPTIONS",
                        options -> assertThat(options)
                                .startsWith(String.join(" ", measured) + " -XX:MaxRAMPercentage=50 "));
        var limit = Quantity.parse(
                container(part, file).at("/resources/limits/memory").asText());
        assertThat(limit.getNumericalAmount())
                .isEqualByComparingTo(BigDecimal.valueOf((part.heapMebibytes() * 2L) << 20));
    }

    @ParameterizedTest
    @CsvSource({
        "WEBHOOK,  webhook/deployment.yaml,                         8443",
        "EXTENDER, extender/deployment.yaml,                        ''",
        "EXTENDER, ../overlays/default-scheduler/deployment.yaml,   8444",
        "SCALER,   scaler/deployment.yaml,                          8443"
    })
    void listenWhereTheyAreCalled(InstalledComponent part, String file, String https) throws IOException {
        var container = container(part, file);
        var ports = elements(container.path("ports")).stream()
                .collect(Collectors.toMap(
                        port -> port.path("name").asText(),
                        port -> port.path("containerPort").asText()));

        assertThat(flag(container, "--operations-listen")).isEqualTo("0.0.0.0:" + ports.get("operations"));
        if (https.isEmpty()) {
            assertThat(flag(container, "--listen")).startsWith("127.0.0.1:");
            assertThat(ports).containsOnlyKeys("operations");
        } else {
            assertThat(flag(container, "--listen")).isEqualTo("0.0.0.0:" + https);
            assertThat(ports).containsEntry("https", https);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "WEBHOOK,  webhook/deployment.yaml,  webhook/rbac.yaml",
        "EXTENDER, extender/deployment.yaml, extender/rbac.yaml",
        "EXTENDER, ../overlays/default-scheduler/deployment.yaml, extender/rbac.yaml",
        "SCALER,   scaler/deployment.yaml,   scaler/rbac.yaml"
    })
    void mayReadTheSecretThatTheirFlagNames(InstalledComponent part, String file, String rights) throws IOException {
        assertThat(documents(rights).stream()
                        .flatMap(document -> elements(document.path("rules")).stream())
                        .filter(rule -> rule.path("resources").toString().contains("\"secrets\""))
                        .flatMap(rule -> elements(rule.path("resourceNames")).stream())
                        .map(JsonNode::asText))
                .containsExactly(flag(container(part, file), "--tls-secret"));
    }

    /** The processes of the demo and of tests use these ServiceAccounts. */
    @Test
    void runAsTheServiceAccountsThatTestsUse() throws IOException {
        for (var part : InstalledComponent.values()) {
            var deployment = documents(part.command() + "/deployment.yaml").get(0);
            assertThat(deployment.at("/spec/template/spec/serviceAccountName").asText())
                    .isEqualTo(part.serviceAccount());
        }
    }

    @Test
    void theWebhookIsForTheServiceOfItsRegistration() throws IOException {
        var registration = documents("webhook/webhook-configuration.yaml").get(0);
        var service = registration.at("/webhooks/0/clientConfig/service");
        var container = container(InstalledComponent.WEBHOOK, "webhook/deployment.yaml");

        assertThat(flag(container, "--dns-name"))
                .isEqualTo("%s.%s.svc"
                        .formatted(
                                service.path("name").asText(),
                                service.path("namespace").asText()));
        assertThat(flag(container, "--webhook-configuration"))
                .isEqualTo(registration.at("/metadata/name").asText());
        assertThat(documents("webhook/service.yaml").get(0).at("/metadata/name").asText())
                .isEqualTo(service.path("name").asText());
    }

    @Test
    void theExtenderFindsTheScalerAndTheLeaseOfItsScheduler() throws IOException {
        var container = container(InstalledComponent.EXTENDER, "extender/deployment.yaml");
        var service = documents("scaler/service.yaml").get(0);
        var lease = documents("extender/scheduler-config.yaml").get(0).path("leaderElection");

        assertThat(flag(container, "--scaler-url"))
                .isEqualTo("https://%s.%s.svc:%s"
                        .formatted(
                                service.at("/metadata/name").asText(),
                                Names.NAMESPACE,
                                service.at("/spec/ports/0/port").asText()));
        assertThat(flag(container, "--scheduler-lease"))
                .isEqualTo(lease.path("resourceNamespace").asText() + "/"
                        + lease.path("resourceName").asText());
    }

    @Test
    void theSchedulerReadsWhatTheExtenderMakes() throws IOException {
        var tls = documents("extender/scheduler-config.yaml").get(0).at("/extenders/0/tlsConfig");
        var directory = flag(container(InstalledComponent.EXTENDER, "extender/deployment.yaml"), "--scheduler-tls-dir");

        assertThat(tls.path("caFile").asText()).isEqualTo(directory + "/ca.crt");
        assertThat(tls.path("certFile").asText()).isEqualTo(directory + "/tls.crt");
        assertThat(tls.path("keyFile").asText()).isEqualTo(directory + "/tls.key");
        var scheduler = elements(documents("extender/deployment.yaml").get(0).at("/spec/template/spec/containers"))
                .get(0);
        assertThat(elements(scheduler.path("volumeMounts")).stream()
                        .map(mount -> mount.path("mountPath").asText()))
                .contains(directory);
    }

    /** The cluster's own scheduler has the same settings of Trainyard's profile and extender, except for the extender's address and TLS. */
    @Test
    void theClustersOwnSchedulerIsConfiguredAsOurs() throws IOException {
        var ours = documents("extender/scheduler-config.yaml").get(0);
        var theirs = documents(DEFAULT_SCHEDULER + "kube-scheduler.yaml").get(0);
        var service = documents(DEFAULT_SCHEDULER + "service.yaml").get(0);

        assertThat(theirs.at("/profiles/0/schedulerName").asText()).isEqualTo("default-scheduler");
        assertThat(theirs.at("/profiles/0/percentageOfNodesToScore"))
                .isEqualTo(ours.at("/profiles/0/percentageOfNodesToScore"));
        assertThat(theirs.at("/profiles/1")).isEqualTo(ours.at("/profiles/0"));
        for (var field : List.of("podInitialBackoffSeconds", "podMaxBackoffSeconds")) {
            assertThat(theirs.path(field)).isEqualTo(ours.path(field));
        }
        ours.at("/extenders/0").properties().stream()
                .filter(field -> !List.of("urlPrefix", "tlsConfig").contains(field.getKey()))
                .forEach(field -> assertThat(theirs.at("/extenders/0").path(field.getKey()))
                        .as(field.getKey())
                        .isEqualTo(field.getValue()));
        assertThat(theirs.at("/extenders/0/urlPrefix").asText())
                .endsWith(":" + service.at("/spec/ports/0/port").asText());
        assertThat(theirs.at("/extenders/0/tlsConfig/serverName").asText())
                .isEqualTo(service.at("/metadata/name").asText() + "." + Names.NAMESPACE + ".svc");
    }

    /** Components other than the extender need no cluster DNS. */
    @Test
    void onlyTheExtenderAsksTheClustersDns() throws IOException {
        for (var part : InstalledComponent.values()) {
            var policy = documents(part.command() + "/deployment.yaml").get(0).at("/spec/template/spec/dnsPolicy");
            assertThat(policy.asText()).isEqualTo(part == InstalledComponent.EXTENDER ? "ClusterFirst" : "Default");
        }
    }

    /** Trainyard's pods must not depend on Trainyard's scheduler, and must not be evicted before others. */
    @Test
    void podsNeedNothingOfOursToStart() throws IOException {
        var pod = documents("../components/pods/pods.yaml").get(0).at("/spec/template/spec");

        assertThat(pod.path("schedulerName").asText()).isEqualTo("default-scheduler");
        assertThat(pod.path("priorityClassName").asText()).isEqualTo("system-cluster-critical");
        for (var part : InstalledComponent.values()) {
            var container = container(part, part.command() + "/deployment.yaml");
            assertThat(container.path("envFrom")).isEmpty();
            assertThat(container.path("env"))
                    .allSatisfy(variable -> assertThat(variable.at("/valueFrom/secretKeyRef/optional")
                                    .asBoolean(true))
                            .isTrue());
        }
    }

    /** With {@code envFrom}, a user who may write the Secret could set any variable of the pod, and so control its JVM. */
    @Test
    void variablesAreTakenFromSecretsByName() throws IOException {
        try (var files = Files.walk(ROOT.resolve("manifests"))) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(file).content().doesNotContain("envFrom"));
        }
    }

    /**
     * The manifests of a checkout name the version in the pom, as its images do. Rewrite them with -Dtrainyard.update=true. The build of a
     * release replaces the version: cli/pom.xml.
     */
    @Test
    void manifestsNameTheVersionOfThePom() throws IOException {
        var revision =
                Pattern.compile("<revision>([^<]+)</revision>").matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(revision.find()).isTrue();
        var version = revision.group(1);
        var named = new TreeMap<String, Set<String>>();
        try (var files = Files.walk(ROOT.resolve("manifests"))) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var text = Files.readString(file);
                if (Boolean.getBoolean("trainyard.update")) {
                    var updated = SNAPSHOT.matcher(text).replaceAll(version);
                    if (!updated.equals(text)) {
                        Files.writeString(file, updated);
                        text = updated;
                    }
                }
                var versions =
                        SNAPSHOT.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
                if (!versions.isEmpty()) {
                    named.put(ROOT.resolve("manifests").relativize(file).toString(), versions);
                }
            }
        }

        assertThat(named).hasSize(6).containsKeys("chart/Chart.yaml");
        assertThat(named.values()).containsOnly(Set.of(version));
        for (var part : InstalledComponent.values()) {
            assertThat(container(part, part.command() + "/deployment.yaml")
                            .path("image")
                            .asText())
                    .isEqualTo("trainyard:" + version);
        }
    }

    private static JsonNode container(InstalledComponent part, String file) throws IOException {
        var pod = documents(file).get(0).at("/spec/template/spec");
        var all = new ArrayList<>(elements(pod.path("initContainers")));
        all.addAll(elements(pod.path("containers")));
        return all.stream()
                .filter(container -> container.path("name").asText().equals(part.command()))
                .findFirst()
                .orElseThrow();
    }

    private static String flag(JsonNode container, String name) {
        return elements(container.path("args")).stream()
                .map(JsonNode::asText)
                .filter(argument -> argument.startsWith(name + "="))
                .map(argument -> argument.substring(name.length() + 1))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no flag " + name));
    }

    private static Map<String, String> environment(JsonNode container) {
        return elements(container.path("env")).stream()
                .collect(Collectors.toMap(
                        variable -> variable.path("name").asText(),
                        variable -> variable.path("value").asText()));
    }

    private static List<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private static List<JsonNode> documents(String file) throws IOException {
        try (var documents = new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(BASE.resolve(file).toFile())) {
            return documents.readAll();
        }
    }
}
