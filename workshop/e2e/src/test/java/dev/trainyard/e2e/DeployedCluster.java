package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.cli.Main;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.Kubectl;
import dev.trainyard.workshop.cluster.ServerJvm;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Trainyard deployed from an overlay. Every object of the overlay is applied. The components run with the arguments, JVM options and
 * ServiceAccounts of their Deployments. The scheduler runs with the overlay's configuration. Only addresses differ, because components run
 * as processes, not in pods. Service names in arguments stay, but cannot be resolved, as in a cluster whose DNS is down.
 */
final class DeployedCluster {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String SCHEDULER = "trainyard-scheduler";

    /** The overlays. They differ in the kube-scheduler that calls the extender. */
    enum Overlay {
        /** Trainyard's own kube-scheduler, beside the extender. */
        LOCAL("overlays/local"),
        /** The cluster's own kube-scheduler. */
        DEFAULT_SCHEDULER("overlays/default-scheduler");

        private final String path;

        Overlay(String path) {
            this.path = path;
        }
    }

    private final ControlPlane controlPlane;
    private final Overlay overlay;
    private final Kubectl kubectl;
    private final Path tls;
    private final Map<InstalledComponent, Integer> ports = new EnumMap<>(InstalledComponent.class);
    private final Map<InstalledComponent, Integer> operations = new EnumMap<>(InstalledComponent.class);
    private final Map<InstalledComponent, SupervisedProcess> processes = new EnumMap<>(InstalledComponent.class);
    private final Rendered rendered;

    private DeployedCluster(ControlPlane controlPlane, Overlay overlay) throws IOException {
        this.controlPlane = controlPlane;
        this.overlay = overlay;
        this.kubectl = new Kubectl(controlPlane, controlPlane.dir());
        this.tls = controlPlane.dir().resolve("scheduler-tls");
        for (var part : InstalledComponent.values()) {
            ports.put(part, FreePort.onLoopback());
            operations.put(part, FreePort.onLoopback());
        }
        write(Files.createDirectories(controlPlane.dir().resolve("mine")));
        this.rendered = Rendered.of(kubectl.succeed("kustomize", "mine"));
    }

    /** Writes an overlay to {@code mine} in the control plane's directory, applies it, and returns when all components are ready. */
    static DeployedCluster start(ControlPlane controlPlane, Overlay overlay) throws IOException {
        var testCluster = new DeployedCluster(controlPlane, overlay);
        testCluster.makeSchedulersCertificates();
        DocumentedCommands.run(
                DocumentedCommands.commands("installing.md", "With kustomize").get(0),
                controlPlane,
                controlPlane.dir());
        try (var client = controlPlane.client()) {
            Definitions.awaitEstablished(
                    client,
                    "trainingpools.trainyard.dev",
                    "trainingtiers.trainyard.dev",
                    "trainingclusters.trainyard.dev");
        }
        for (var part : InstalledComponent.values()) {
            testCluster.start(part);
        }
        for (var part : InstalledComponent.values()) {
            testCluster.awaitReady(part);
        }
        testCluster.startScheduler();
        return testCluster;
    }

    Rendered rendered() {
        return rendered;
    }

    void start(InstalledComponent part) {
        rendered.ofKind("Deployment").forEach(deployment -> {
            var account =
                    deployment.at("/spec/template/spec/serviceAccountName").asText();
            Rendered.containers(deployment).stream()
                    .filter(container -> container.path("name").asText().equals(part.command()))
                    .forEach(container -> processes.put(part, start(part, account, container)));
        });
    }

    void awaitReady(InstalledComponent part) {
        TrainingGround.awaitTrue(part + " is ready", () -> isReady(part));
    }

    void kill(InstalledComponent part) {
        processes.get(part).kill();
    }

    /** Terminates a component with SIGTERM, as a cluster does. */
    void stop(InstalledComponent part) {
        processes.get(part).stop(Duration.ofSeconds(20));
    }

    void stopScheduler() {
        controlPlane.stop(SCHEDULER, Duration.ofSeconds(5));
    }

    /** Terminates all running components with SIGTERM. */
    void stopAll() {
        processes.values().forEach(process -> process.stop(Duration.ofSeconds(20)));
    }

    /** Kills all running components. */
    void killAll() {
        processes.values().forEach(SupervisedProcess::kill);
    }

    /** Writes an overlay as a user would, with the changes that this test needs. */
    private void write(Path mine) throws IOException {
        var manifests = mine.toRealPath().relativize(ROOT.resolve("manifests").toRealPath());
        var service = overlay == Overlay.LOCAL
                ? ""
                : "      - {op: remove, path: /webhooks/0/clientConfig/service}\n"
                        + "      - {op: remove, path: /webhooks/1/clientConfig/service}\n"
                        + "      - {op: remove, path: /webhooks/2/clientConfig/service}\n"
                        + "      - {op: remove, path: /webhooks/3/clientConfig/service}\n";
        var components = overlay == Overlay.LOCAL ? "" : """
                components: [%s/components/kwok-provider]
                replicas:
                  - {name: trainyard-webhook, count: 0}
                  - {name: trainyard-extender, count: 0}
                  - {name: trainyard-scaler, count: 0}
                """.formatted(manifests);
        Files.writeString(mine.resolve("kustomization.yaml"), """
                resources: [%1$s/%2$s]
                %3$spatches:
                  - target: {kind: MutatingWebhookConfiguration, name: trainyard}
                    patch: |-
                %4$s      - {op: add, path: /webhooks/0/clientConfig/url, value: "https://127.0.0.1:%5$d/mutate"}
                      - {op: add, path: /webhooks/1/clientConfig/url, value: "https://127.0.0.1:%5$d/mutate"}
                      - {op: add, path: /webhooks/2/clientConfig/url, value: "https://127.0.0.1:%5$d/mutate"}
                      - {op: add, path: /webhooks/3/clientConfig/url, value: "https://127.0.0.1:%5$d/mutate"}
                """.formatted(
                        manifests, overlay.path, components, service, ports.get(InstalledComponent.WEBHOOK)));
    }

    /** Creates certificates for the cluster's own scheduler. For Trainyard's own scheduler, the extender beside it creates them. */
    private void makeSchedulersCertificates() throws IOException {
        if (overlay == Overlay.LOCAL) {
            Files.createDirectories(tls);
            return;
        }
        var commands = DocumentedCommands.commands("installing.md", "Without a second scheduler")
                .get(0)
                .lines()
                .toList();
        var issue = commands.get(0).replaceFirst("^\\./trainyard ", "").replace("--dir scheduler-tls", "--dir=" + tls);
        if (Main.commandLine().execute(issue.split(" +")) != 0) {
            throw new AssertionError("no certificates by " + issue);
        }
        DocumentedCommands.run(commands.get(1), controlPlane, ROOT);
        DocumentedCommands.run(commands.get(2), controlPlane, controlPlane.dir());
    }

    private SupervisedProcess start(InstalledComponent part, String account, ObjectNode container) {
        var command = new ArrayList<>(ServerJvm.command(options(container)));
        command.add("dev.trainyard.cli.Main");
        Rendered.arguments(container).forEach(argument -> command.add(here(part, argument)));
        command.add("--kubeconfig=" + controlPlane.kubeconfigFor(userOf(account), List.of("system:serviceaccounts")));
        var log = controlPlane.logs().resolve(part.command() + ".log");
        var process = SupervisedProcess.start(new SupervisedProcess.Launch(part.command(), command, Map.of(), log));
        controlPlane.adopt(process);
        return process;
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

    /** Returns the argument adapted to an environment without pods and Services. */
    private String here(InstalledComponent part, String argument) {
        return switch (argument.replaceFirst("=.*", "")) {
            case "--listen" -> "--listen=127.0.0.1:" + ports.get(part);
            case "--operations-listen" -> "--operations-listen=127.0.0.1:" + operations.get(part);
            case "--page-listen" -> "--page-listen=127.0.0.1:0";
            case "--scheduler-tls-dir" -> "--scheduler-tls-dir=" + tls;
            default -> argument.replace("$(POD_NAME)", "trainyard-scaler-0");
        };
    }

    private void startScheduler() throws IOException {
        if (overlay == Overlay.LOCAL) {
            var configMap = rendered.ofKind("ConfigMap").get(0);
            var configuration = (ObjectNode) new YAMLMapper()
                    .readTree(configMap.at("/data/scheduler-config.yaml").asText());
            startScheduler(userOf(SCHEDULER), configuration);
        } else {
            var configuration = (ObjectNode) new YAMLMapper()
                    .readTree(ROOT.resolve("manifests/overlays/default-scheduler/kube-scheduler.yaml")
                            .toFile());
            // The control plane's first scheduler keeps running for the default name, so this scheduler gets another
            // name.
            ((ObjectNode) configuration.at("/profiles/0")).put("schedulerName", "other");
            configuration.withObject("/leaderElection").put("leaderElect", false);
            startScheduler("system:kube-scheduler", configuration);
        }
    }

    private void startScheduler(String user, ObjectNode configuration) throws IOException {
        var extender = (ObjectNode) configuration.at("/extenders/0");
        extender.put("urlPrefix", "https://127.0.0.1:" + ports.get(InstalledComponent.EXTENDER))
                .put("httpTimeout", "20s");
        extender.withObject("/tlsConfig")
                .put("caFile", tls.resolve("ca.crt").toString())
                .put("certFile", tls.resolve("tls.crt").toString())
                .put("keyFile", tls.resolve("tls.key").toString());
        controlPlane.startScheduler(SCHEDULER, user, new YAMLMapper().writeValueAsString(configuration));
    }

    private boolean isReady(InstalledComponent part) {
        return isOk(URI.create("http://127.0.0.1:%d/readyz".formatted(operations.get(part))));
    }

    /** Whether a server answers with status 200. */
    static boolean isOk(URI url) {
        try {
            return HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(url).build(), BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String userOf(String account) {
        return "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, account);
    }
}
