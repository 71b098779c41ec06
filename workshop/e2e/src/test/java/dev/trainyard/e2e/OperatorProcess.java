package dev.trainyard.e2e;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A real operator of training workloads as a process, compiled from a pinned Go module. The operator has its own CustomResourceDefinitions
 * and webhooks. The API server calls these webhooks for one namespace only. A CA that exists only for the process signs their certificate.
 */
final class OperatorProcess implements AutoCloseable {

    /**
     * A kind of operator.
     *
     * @param name name of our Go module below {@code workshop/e2e/operators}
     * @param source the package to compile
     * @param module the Go module that contains the package
     * @param definitions the directory of the CustomResourceDefinitions in the module
     * @param webhooks the file of the webhook configurations in the module; empty to register none
     */
    record Kind(String name, String source, String module, String definitions, String webhooks) {

        /** Returns the directory of our Go module that pins the operator. */
        private String ours() {
            return "workshop/e2e/operators/" + name;
        }
    }

    /** Values for the operator's command line. */
    record Ports(int webhook, int health, Path certificates, Path directory) {}

    /** A function that returns the operator's command line. */
    @FunctionalInterface
    interface Arguments {
        List<String> of(Ports ports) throws IOException;
    }

    private final TestCluster testCluster;
    private final Process process;
    private final Path log;
    private final List<HasMetadata> registered;

    private OperatorProcess(TestCluster testCluster, Process process, Path log, List<HasMetadata> registered) {
        this.testCluster = testCluster;
        this.process = process;
        this.log = log;
        this.registered = registered;
    }

    /** Starts an operator and returns when it is ready. The compiled program stays in the user's cache. */
    static OperatorProcess start(TestCluster testCluster, String namespace, Kind kind, Arguments arguments)
            throws IOException {
        var variable = "TRAINYARD_OPERATOR_" + kind.name().replace('-', '_').toUpperCase(Locale.ROOT);
        var program = GoTool.find(kind.ours(), kind.source(), variable).program();
        var sources = GoTool.sources(kind.ours(), kind.module());
        var directory = Files.createTempDirectory(testCluster.controlPlane().dir(), kind.name())
                .toAbsolutePath();
        var authority = CertificateAuthority.create(kind.name(), Duration.ofDays(1), Clock.systemUTC());
        var leaf = authority.issue(LeafRequest.forServer(kind.name()).withIpAddresses("127.0.0.1"), Instant.now());
        // controller-runtime's default location of certificates, below the temporary directory.
        var certificates = Files.createDirectories(directory.resolve("k8s-webhook-server/serving-certs"));
        Files.writeString(certificates.resolve("tls.crt"), leaf.certificatePem());
        Files.writeString(certificates.resolve("tls.key"), leaf.keyPem());
        define(testCluster, sources.resolve(kind.definitions()));
        var ports = new Ports(FreePort.onLoopback(), FreePort.onLoopback(), certificates, directory);
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments.of(ports));
        var log = directory.resolve("log");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment()
                .put(
                        "KUBECONFIG",
                        testCluster.controlPlane().kubeconfig().toAbsolutePath().toString());
        if (!kind.webhooks().isEmpty()) {
            builder.environment().put("TMPDIR", directory.toString());
        }
        var process = builder.start();
        var registered = new ArrayList<HasMetadata>();
        var operator = new OperatorProcess(testCluster, process, log, registered);
        try {
            var ready = URI.create("http://127.0.0.1:%d/readyz".formatted(ports.health()));
            TrainingGround.awaitTrue(kind.name() + " is ready, see " + log, () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("%s ended: %s".formatted(kind.name(), text(log)));
                }
                return DeployedCluster.isOk(ready);
            });
            if (!kind.webhooks().isEmpty()) {
                var url = "https://127.0.0.1:%d".formatted(ports.webhook());
                registered.addAll(register(testCluster, namespace, kind, sources, url, authority.certificatePem()));
            }
            return operator;
        } catch (RuntimeException | IOException | Error e) {
            operator.close();
            throw e;
        }
    }

    /** Returns the end of the log. */
    String logged() {
        var all = text(log);
        return all.substring(Math.max(0, all.length() - 4000));
    }

    /** Whether the process is still running. */
    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        registered.forEach(object -> testCluster.client().resource(object).delete());
        process.destroy();
        process.onExit().join();
    }

    private static void define(TestCluster testCluster, Path definitions) throws IOException {
        var names = new ArrayList<String>();
        try (Stream<Path> files = Files.list(definitions)) {
            for (var file : files.sorted(Comparator.naturalOrder()).toList()) {
                var text = Files.readString(file);
                if (text.contains("kind: CustomResourceDefinition")) {
                    var definition = testCluster
                            .client()
                            .getKubernetesSerialization()
                            .unmarshal(text, CustomResourceDefinition.class);
                    testCluster.client().resource(definition).serverSideApply();
                    names.add(definition.getMetadata().getName());
                }
            }
        }
        Definitions.awaitEstablished(testCluster.client(), names.toArray(String[]::new));
    }

    private static List<HasMetadata> register(
            TestCluster testCluster, String namespace, Kind kind, Path sources, String url, String ca)
            throws IOException {
        var only = new LabelSelectorBuilder()
                .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                .build();
        var registered = new ArrayList<HasMetadata>();
        try (var in = Files.newInputStream(sources.resolve(kind.webhooks()))) {
            for (var object : testCluster.client().load(in).items()) {
                var name = "%s-%s-%s"
                        .formatted(namespace, kind.name(), object.getMetadata().getName());
                object.getMetadata().setName(name);
                if (object instanceof MutatingWebhookConfiguration mutating) {
                    mutating.getWebhooks().forEach(webhook -> {
                        lead(webhook.getClientConfig(), url, ca);
                        webhook.setNamespaceSelector(only);
                    });
                } else if (object instanceof ValidatingWebhookConfiguration validating) {
                    validating.getWebhooks().forEach(webhook -> {
                        lead(webhook.getClientConfig(), url, ca);
                        webhook.setNamespaceSelector(only);
                    });
                }
                testCluster.client().resource(object).serverSideApply();
                registered.add(object);
            }
        }
        return registered;
    }

    private static void lead(WebhookClientConfig to, String url, String ca) {
        var path = to.getService().getPath();
        to.setService(null);
        to.setUrl(url + path);
        to.setCaBundle(Base64.getEncoder().encodeToString(ca.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
