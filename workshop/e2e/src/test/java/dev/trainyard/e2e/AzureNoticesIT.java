package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The agent of the component {@code azure-notices}, run by {@code sh}. A server plays Azure's metadata service. The API server is a real
 * one, with the rights and the policy of the component, and the token is that of a pod.
 */
@WithControlPlane
@Tag("slow")
@ResourceLock(WithControlPlane.CLUSTER)
class AzureNoticesIT {

    private static final Path COMPONENT = RegisteredWebhook.MANIFESTS.resolve("components/azure-notices");
    private static final String AGENT = "trainyard-azure-notices";
    private static final String NODE = "azure-own";
    private static final String OTHER_NODE = "azure-other";
    private static final String MACHINE = "k8s-spot-vmss_7";
    private static final String NONE = """
            {"DocumentIncarnation":4,"Events":[]}""";
    private static final Instant NOT_BEFORE = Instant.parse("2099-04-13T22:26:58Z");

    private final MetadataService metadata = new MetadataService();
    private final List<HasMetadata> made = new ArrayList<>();
    private String token;
    private Process agent;
    private Path reads;

    @BeforeEach
    void install(KubernetesClient client) throws IOException {
        RegisteredWebhook.install(client);
        for (var manifest : List.of("rbac.yaml", "policy.yaml")) {
            for (var object : RegisteredWebhook.objects(client, COMPONENT.resolve(manifest))) {
                made.add(client.resource(object).serverSideApply());
            }
        }
        node(client, NODE);
        node(client, OTHER_NODE);
        token = token(client, pod(client, NODE));
        try (var thief = Identity.withToken(client, token)) {
            TrainingGround.awaitTrue("rights and policy are in force", () -> {
                var own = thief.call("PATCH", status(NODE), condition("VMEventScheduled"));
                return own.code() == 200
                        && thief.call("PATCH", status(OTHER_NODE), condition("VMEventScheduled"))
                                .isForbidden();
            });
        }
    }

    @AfterEach
    void remove(KubernetesClient client) throws Exception {
        if (agent != null) {
            agent.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
        metadata.server.stop(0);
        made.forEach(object -> client.resource(object).withGracePeriod(0).delete());
    }

    @Test
    void noticeIsWrittenKeptAndWithdrawn(ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        metadata.events = NONE;
        start(controlPlane, client, directory);
        var quiet = awaitCondition(client, "False", "neither");
        assertThat(reads).exists();

        metadata.events = event("Preempt", MACHINE, "Scheduled", "Mon, 13 Apr 2099 22:26:58 GMT");
        var noticed = awaitCondition(client, "True", "Preempt");
        assertThat(noticed.getLastTransitionTime()).isGreaterThanOrEqualTo(quiet.getLastTransitionTime());
        assertThat(notice(client)).hasValueSatisfying(notice -> {
            assertThat(notice.deadline()).isEqualTo(NOT_BEFORE);
            assertThat(notice.stated()).isTrue();
            assertThat(notice.kind()).isEqualTo(NodeNotice.Kind.RECLAIM);
        });

        // An event that has started states no time.
        metadata.answered(event("Preempt", MACHINE, "Started", ""));
        assertThat(condition(client)).contains(noticed);

        metadata.events = NONE;
        awaitCondition(client, "False", "neither");
        assertThat(notice(client)).isEmpty();
    }

    @Test
    void noticeWithoutTimeHasAnAssumedDeadline(
            ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory) throws IOException {
        metadata.events = event("Terminate", MACHINE.toUpperCase(Locale.ROOT), "Started", "");
        start(controlPlane, client, directory);

        var condition = awaitCondition(client, "True", "Terminate");

        assertThat(notice(client)).hasValueSatisfying(notice -> {
            assertThat(notice.stated()).isFalse();
            assertThat(notice.deadline())
                    .isEqualTo(Instant.parse(condition.getLastTransitionTime()).plusSeconds(30));
        });
    }

    @Test
    void nearestOfSeveralEventsCounts(ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        metadata.events = """
                {
                  "DocumentIncarnation": 2,
                  "Events": [
                    {"EventId": "1", "EventStatus": "Scheduled", "EventType": "Freeze", "ResourceType": "VirtualMachine",
                     "Resources": ["%1$s"], "NotBefore": "Wed, 01 Apr 2099 22:26:58 GMT",
                     "Description": "a \\"quoted\\" ], }", "EventSource": "Platform", "DurationInSeconds": 5},
                    {"EventId": "2", "EventStatus": "Scheduled", "EventType": "Terminate", "ResourceType": "VirtualMachine",
                     "Resources": ["other_1", "%1$s"], "NotBefore": "Fri, 01 May 2099 00:00:00 GMT"},
                    {"EventId": "3", "EventStatus": "Scheduled", "EventType": "Preempt", "ResourceType": "VirtualMachine",
                     "Resources": ["%1$s"], "NotBefore": "Mon, 13 Apr 2099 22:26:58 GMT"},
                    {"EventId": "4", "EventStatus": "Started", "EventType": "Preempt", "ResourceType": "VirtualMachine",
                     "Resources": ["other_1"], "NotBefore": ""}
                  ]
                }
                """.formatted(MACHINE);
        start(controlPlane, client, directory);

        assertThat(awaitCondition(client, "True", "Preempt").getMessage()).contains("event 3");
        assertThat(notice(client))
                .hasValueSatisfying(notice -> assertThat(notice.deadline()).isEqualTo(NOT_BEFORE));
    }

    @ParameterizedTest
    @CsvSource({"Freeze, " + MACHINE, "Reboot, " + MACHINE, "Redeploy, " + MACHINE, "Preempt, " + MACHINE + "1"})
    void otherEventsAreNoNotice(
            String type, String machine, ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        metadata.events = event(type, machine, "Scheduled", "Mon, 13 Apr 2099 22:26:58 GMT");
        start(controlPlane, client, directory);

        awaitCondition(client, "False", "neither");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html></html>", "{\"DocumentIncarnation\":4}", "{\"Events\":[{\"EventId\"", "[]"})
    void unreadableAnswerLeavesTheNotice(
            String answer, ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        metadata.events = event("Preempt", MACHINE, "Scheduled", "Mon, 13 Apr 2099 22:26:58 GMT");
        start(controlPlane, client, directory);
        var noticed = awaitCondition(client, "True", "Preempt");

        metadata.answered(answer);
        assertThat(condition(client)).contains(noticed);
        assertThat(reads).doesNotExist();

        metadata.code = 500;
        metadata.answered(NONE);
        assertThat(condition(client)).contains(noticed);
        assertThat(reads).doesNotExist();

        metadata.code = 200;
        awaitCondition(client, "False", "neither");
        assertThat(reads).exists();
    }

    @Test
    void restartedAgentWithdrawsANoticeOfBefore(
            ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory) throws Exception {
        metadata.events = event("Preempt", MACHINE, "Scheduled", "Mon, 13 Apr 2099 22:26:58 GMT");
        start(controlPlane, client, directory);
        awaitCondition(client, "True", "Preempt");
        assertThat(agent.destroyForcibly().waitFor(10, TimeUnit.SECONDS)).isTrue();
        metadata.events = NONE;

        start(controlPlane, client, directory);

        awaitCondition(client, "False", "neither");
    }

    @Test
    void refusedNoticeIsWrittenLater(ControlPlane controlPlane, KubernetesClient client, @TempDir Path directory)
            throws IOException {
        metadata.events = NONE;
        start(controlPlane, client, directory);
        awaitCondition(client, "False", "neither");
        client.nodes().withName(NODE).delete();

        metadata.answered(event("Preempt", MACHINE, "Scheduled", "Mon, 13 Apr 2099 22:26:58 GMT"));
        node(client, NODE);

        awaitCondition(client, "True", "Preempt");
    }

    static Stream<Arguments> changesOfAStatus() {
        var labels = Map.of("metadata", Map.of("labels", Map.of("a", "b")));
        var removal = Map.of("type", "Ready", "$patch", "delete");
        return Stream.of(
                Arguments.of(status(OTHER_NODE), condition("VMEventScheduled")),
                Arguments.of(status(NODE), condition("DiskPressure")),
                Arguments.of(status(NODE), Map.of("status", Map.of("conditions", List.of(removal)))),
                Arguments.of(status(NODE), Map.of("status", Map.of("allocatable", Map.of("nvidia.com/gpu", "8")))),
                Arguments.of(status(NODE), Map.of("status", Map.of("volumesInUse", List.of("kubernetes.io/csi/a")))),
                Arguments.of(status(NODE), Map.of("status", Map.of("nodeInfo", Map.of("kernelVersion", "6")))),
                Arguments.of(status(NODE), labels),
                Arguments.of(status(NODE), Map.of("metadata", Map.of("annotations", Map.of("a", "b")))));
    }

    @ParameterizedTest
    @MethodSource("changesOfAStatus")
    void policyAllowsNoOtherChangeOfAStatus(String path, Map<String, Object> change, KubernetesClient client) {
        assertRefusedByPolicy(path, change, client);
    }

    /** Versions of Kubernetes before 1.36 ignore this field. */
    @Test
    void policyAllowsNoChangeOfANewFieldOfTheStatus(KubernetesClient client) {
        assumeThat(Integer.parseInt(client.getKubernetesVersion().getMinor().replaceAll("[^0-9]", "")))
                .isGreaterThanOrEqualTo(36);

        assertRefusedByPolicy(
                status(NODE),
                Map.of("status", Map.of("declaredFeatures", List.of("GuaranteedQoSPodCPUResize"))),
                client);
    }

    @ParameterizedTest
    @ValueSource(strings = {"metadata", "spec"})
    void tokenOfThePodAllowsNoChangeOutsideOfTheStatus(String part, KubernetesClient client) {
        var change = Map.of("metadata", Map.of("labels", Map.of("a", "b")), "spec", Map.of("unschedulable", false));
        try (var thief = Identity.withToken(client, token)) {
            assertThat(thief.call("PATCH", "/api/v1/nodes/" + NODE, Map.of(part, change.get(part))))
                    .matches(Identity.Reply::isForbidden);
        }
    }

    private void assertRefusedByPolicy(String path, Map<String, Object> change, KubernetesClient client) {
        try (var thief = Identity.withToken(client, token)) {
            var reply = thief.call("PATCH", path, change);
            assertThat(reply).matches(Identity.Reply::isForbidden);
            assertThat(reply.body()).contains("ValidatingAdmissionPolicy '" + AGENT + "'");
        }
    }

    @Test
    void tokenWithoutAPodAllowsNothing(KubernetesClient client) {
        try (var thief = Identity.withTokenOf(client, Names.NAMESPACE, AGENT)) {
            assertThat(thief.call("PATCH", status(NODE), condition("VMEventScheduled")))
                    .matches(Identity.Reply::isForbidden);
        }
    }

    private void start(ControlPlane controlPlane, KubernetesClient client, Path directory) throws IOException {
        var server = URI.create(controlPlane.apiServerUrl());
        Files.writeString(directory.resolve("token"), token);
        Files.write(directory.resolve("ca.crt"), authority(client));
        reads = directory.resolve("reads");
        var command = new ProcessBuilder("sh", COMPONENT.resolve("notices.sh").toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("agent.log").toFile()));
        command.environment()
                .putAll(Map.of(
                        "NODE_NAME", NODE,
                        "METADATA_URL", metadata.url(),
                        "SERVICE_ACCOUNT_DIRECTORY", directory.toString(),
                        "STATE_DIRECTORY", directory.toString(),
                        "KUBERNETES_SERVICE_HOST", server.getHost(),
                        "KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort())));
        agent = command.start();
    }

    private static byte[] authority(KubernetesClient client) throws IOException {
        var config = client.getConfiguration();
        return config.getCaCertData() == null
                ? Files.readAllBytes(Path.of(config.getCaCertFile()))
                : Base64.getDecoder().decode(config.getCaCertData());
    }

    private void node(KubernetesClient client, String name) {
        made.add(client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .withNewStatus()
                        .addToAllocatable("cpu", new Quantity("4"))
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .create());
    }

    private String pod(KubernetesClient client, String node) {
        var pod = client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withGenerateName("azure-notices-")
                        .withNamespace(Names.NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withServiceAccountName(AGENT)
                        .withNodeName(node)
                        .addNewContainer()
                        .withName("notices")
                        .withImage("notices")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        made.add(pod);
        return pod.getMetadata().getName();
    }

    private static String token(KubernetesClient client, String pod) {
        return client.serviceAccounts()
                .inNamespace(Names.NAMESPACE)
                .withName(AGENT)
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(3600L)
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod)
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }

    private static String status(String node) {
        return "/api/v1/nodes/" + node + "/status";
    }

    private static Map<String, Object> condition(String type) {
        return Map.of(
                "status",
                Map.of(
                        "conditions",
                        List.of(Map.of("type", type, "status", "Unknown", "reason", "A", "message", "a"))));
    }

    private static Optional<NodeCondition> condition(KubernetesClient client) {
        return client.nodes().withName(NODE).get().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("VMEventScheduled"))
                .findFirst();
    }

    private static NodeCondition awaitCondition(KubernetesClient client, String status, String message) {
        return TrainingGround.await(
                "VMEventScheduled=" + status,
                () -> condition(client)
                        .filter(condition -> condition.getStatus().equals(status)
                                && condition.getMessage().contains(message)));
    }

    private static Optional<NodeNotice> notice(KubernetesClient client) {
        return NoticeTable.BUILT_IN.read(client.nodes().withName(NODE).get(), NOT_BEFORE.minusSeconds(20));
    }

    /** Returns an answer as in Azure's documentation of scheduled events. */
    private static String event(String type, String machine, String status, String notBefore) {
        return """
                {"DocumentIncarnation":5,"Events":[{"EventId":"C7061BAC-AFDC-4513-B24B-AA5F13A16123","EventStatus":"%s",\
                "EventType":"%s","ResourceType":"VirtualMachine","Resources":["%s"],"NotBefore":"%s","Description":"",\
                "EventSource":"Platform","DurationInSeconds":-1}]}""".formatted(status, type, machine, notBefore);
    }

    /** Azure's metadata service. It refuses requests without the header and the versions that Azure demands. */
    private static final class MetadataService {
        private static final Map<String, String> VERSIONS = Map.of(
                "/metadata/scheduledevents", "api-version=2020-07-01",
                "/metadata/instance/compute/name", "api-version=2020-06-01&format=text");

        private final HttpServer server;
        private final AtomicInteger answers = new AtomicInteger();
        private volatile String events = "";
        private volatile int code = 200;

        MetadataService() {
            try {
                server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            } catch (IOException e) {
                throw new IllegalStateException("no free port on loopback", e);
            }
            server.createContext("/", this::answer);
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        /** Sets the answer, and waits until the agent has acted on it. */
        void answered(String answer) {
            events = answer;
            var before = answers.get();
            // The agent may have asked before the change, and acts on an answer before it asks again.
            TrainingGround.awaitTrue("the agent asks again", () -> answers.get() >= before + 3);
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                var path = exchange.getRequestURI().getPath();
                var wellFormed = "true".equals(exchange.getRequestHeaders().getFirst("Metadata"))
                        && exchange.getRequestURI().getQuery().equals(VERSIONS.get(path));
                var isEvents = path.endsWith("/scheduledevents");
                var body = (isEvents ? events : MACHINE).getBytes(StandardCharsets.UTF_8);
                if (isEvents) {
                    answers.incrementAndGet();
                }
                exchange.sendResponseHeaders(
                        !wellFormed ? 400 : isEvents ? code : 200, body.length == 0 ? -1 : body.length);
                if (body.length > 0) {
                    exchange.getResponseBody().write(body);
                }
            }
        }
    }
}
