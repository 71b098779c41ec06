package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.cli.yard.Kubectl;
import dev.trainyard.cli.yard.Part;
import dev.trainyard.cli.yard.ServerJvm;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Trainyard as it is deployed: every object of an overlay is applied, the components run with the arguments, the JVM options and the
 * ServiceAccounts of their Deployments, the scheduler with its ConfigMap. Only addresses are others, since nothing here runs in pods.
 */
@WithControlPlane
class DeployedIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String OVERLAY = "manifests/overlays/local";

    /** What other tests need: of evictions, of nudges, and of CAs that are a year old. */
    private static final Set<String> NOT_IN_THIS_STORY = new TreeSet<>(Set.of(
            "trainyard-scaler: create pods/eviction",
            "trainyard-scheduler: patch pods",
            "trainyard-scheduler: patch secrets",
            "trainyard-webhook: patch secrets",
            "trainyard-scaler: patch secrets"));

    private final Map<Part, Integer> ports = new EnumMap<>(Part.class);
    private final Map<Part, Integer> operations = new EnumMap<>(Part.class);
    private final List<SupervisedProcess> processes = new ArrayList<>();
    private ControlPlane controlPlane;
    private KubernetesClient client;
    private Kubectl kubectl;
    private Path tls;

    /** One of its own: what is removed at the end others may need. */
    @BeforeEach
    void startControlPlane() throws IOException {
        controlPlane = ControlPlane.start(
                ControlPlaneOptions.defaults()
                        .withParentDirectory(Path.of("target", "deployed"))
                        .withAudit(),
                step -> System.err.println("[deployed] " + step));
        client = controlPlane.client();
        kubectl = new Kubectl(controlPlane, ROOT);
        tls = Files.createDirectories(controlPlane.dir().resolve("scheduler-tls"));
        for (var part : Part.values()) {
            ports.put(part, freePort());
            operations.put(part, freePort());
        }
    }

    @AfterEach
    void stop() {
        processes.forEach(SupervisedProcess::kill);
        client.close();
        controlPlane.close();
    }

    @Test
    void trainsWithTheRightsThatItHasAndGoesWithoutATrace() throws IOException {
        var before = everything();
        var rendered = install();
        startAll(rendered);
        train();
        assertWhoRan();
        assertRightsAreUsed(rendered);

        processes.forEach(SupervisedProcess::kill);
        kubectl.succeed("delete", "jobs", "--all");
        kubectl.succeed("delete", "-k", OVERLAY, "--ignore-not-found");
        var left = everything();
        left.removeAll(before);
        assertThat(left.stream().filter(name -> name.contains("trainyard"))).isEmpty();
    }

    private Rendered install() {
        kubectl.succeed("apply", "-k", OVERLAY);
        kubectl.succeed(
                "wait",
                "--for=condition=Established",
                "crd/trainingpools.trainyard.dev",
                "crd/trainingtiers.trainyard.dev");
        kubectl.succeed("--namespace=trainyard-system", "rollout", "status", "deployment");
        register();
        return Rendered.of(kubectl.succeed("kustomize", OVERLAY));
    }

    private void startAll(Rendered rendered) throws IOException {
        rendered.ofKind("Deployment").forEach(this::start);
        for (var part : Part.values()) {
            TrainingGround.awaitTrue(part + " is ready", () -> isReady(part));
        }
        var configMap = rendered.ofKind("ConfigMap").get(0);
        controlPlane.startScheduler(
                "trainyard-scheduler",
                userOf("trainyard-scheduler"),
                schedulerConfiguration(
                        configMap.at("/data/scheduler-config.yaml").asText()));
    }

    /** A machine comes for a job, and goes when it has ended. */
    private void train() {
        kubectl.succeed("apply", "-f", "manifests/examples/pools.yaml", "-f", "manifests/examples/tiers.yaml");
        RegisteredWebhook.awaitCalledFor(client, "default");
        kubectl.succeed("create", "-f", "manifests/examples/tftrain.yaml");
        TrainingGround.awaitTrue(
                "the training has run",
                () -> client.batch().v1().jobs().inNamespace("default").list().getItems().stream()
                        .allMatch(job -> job.getStatus() != null
                                && Integer.valueOf(1).equals(job.getStatus().getSucceeded())));
        TrainingGround.awaitTrue(
                "its machine is gone",
                () -> client.nodes().list().getItems().isEmpty());
    }

    private void assertWhoRan() {
        assertThat(client.leases()
                        .inNamespace(Names.NAMESPACE)
                        .withName("trainyard-scaler")
                        .get()
                        .getSpec()
                        .getHolderIdentity())
                .isEqualTo("trainyard-scaler-0");
        assertThat(client.secrets().inNamespace(Names.NAMESPACE).list().getItems())
                .extracting(secret -> secret.getMetadata().getName())
                .containsExactlyInAnyOrder("trainyard-webhook-ca", "trainyard-internal-ca");
    }

    /** By what the API server says of each call: none is refused, and no right is there that nobody needs. */
    private void assertRightsAreUsed(Rendered rendered) throws IOException {
        var audit = AuditLog.read(controlPlane.auditLog());
        assertThat(audit.refused()).isEmpty();
        assertThat(audit.unused(rendered)).isEqualTo(NOT_IN_THIS_STORY);
    }

    private void register() {
        var registration = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
        registration.edit(found -> {
            found.getWebhooks()
                    .forEach(webhook -> webhook.getClientConfig()
                            .setUrl("https://127.0.0.1:%d/mutate".formatted(ports.get(Part.WEBHOOK))));
            return found;
        });
    }

    private void start(ObjectNode deployment) {
        var account = deployment.at("/spec/template/spec/serviceAccountName").asText();
        for (var container : Rendered.containers(deployment)) {
            for (var part : Part.values()) {
                if (part.command().equals(container.path("name").asText())) {
                    processes.add(start(part, account, container));
                }
            }
        }
    }

    private SupervisedProcess start(Part part, String account, ObjectNode container) {
        var command = new ArrayList<>(ServerJvm.command(options(container)));
        command.add("dev.trainyard.cli.Main");
        Rendered.arguments(container).forEach(argument -> command.add(here(part, argument)));
        command.add("--kubeconfig=" + controlPlane.kubeconfigFor(userOf(account), List.of("system:serviceaccounts")));
        var log = controlPlane.logs().resolve(part.command() + ".log");
        return SupervisedProcess.start(new SupervisedProcess.Launch(part.command(), command, Map.of(), log));
    }

    private static List<String> options(ObjectNode container) {
        for (var variable : container.path("env")) {
            if (variable.path("name").asText().equals("JDK_JAVA_OPTIONS")) {
                var options =
                        new ArrayList<>(List.of(variable.path("value").asText().split(" ")));
                options.removeIf(option -> option.startsWith("-XX:MaxRAMPercentage="));
                options.add("-Xmx256m");
                return options;
            }
        }
        throw new AssertionError("no JDK_JAVA_OPTIONS");
    }

    /** The same argument where there are no pods and no Services. */
    private String here(Part part, String argument) {
        return switch (argument.replaceFirst("=.*", "")) {
            case "--listen" -> "--listen=127.0.0.1:" + ports.get(part);
            case "--operations-listen" -> "--operations-listen=127.0.0.1:" + operations.get(part);
            case "--scheduler-tls-dir" -> "--scheduler-tls-dir=" + tls;
            case "--scaler-url" -> "--scaler-url=https://127.0.0.1:" + ports.get(Part.SCALER);
            default -> argument.replace("$(POD_NAME)", "trainyard-scaler-0");
        };
    }

    private String schedulerConfiguration(String yaml) throws IOException {
        var configuration = (ObjectNode) new YAMLMapper().readTree(yaml);
        var extender = (ObjectNode) configuration.at("/extenders/0");
        extender.put("urlPrefix", "https://127.0.0.1:" + ports.get(Part.EXTENDER))
                .put("httpTimeout", "20s");
        extender.withObject("/tlsConfig")
                .put("caFile", tls.resolve("ca.crt").toString())
                .put("certFile", tls.resolve("tls.crt").toString())
                .put("keyFile", tls.resolve("tls.key").toString());
        return new YAMLMapper().writeValueAsString(configuration);
    }

    private boolean isReady(Part part) {
        var url = URI.create("http://127.0.0.1:%d/readyz".formatted(operations.get(part)));
        try {
            return HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** All objects of all kinds, but for those that come and go with others. */
    private Set<String> everything() {
        var all = new TreeSet<String>();
        var kinds = kubectl.succeed("api-resources", "--verbs=list", "--output=name")
                .lines()
                .toList();
        for (var kind : kinds) {
            // A kind that was defined by what is removed is listed for a moment longer, and cannot be read.
            var found = kubectl.run("get", kind, "--all-namespaces", "--ignore-not-found", "--output=name");
            if (found.succeeded() && !kind.startsWith("events")) {
                found.output().lines().forEach(all::add);
            }
        }
        return all;
    }

    private static String userOf(String account) {
        return "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, account);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
