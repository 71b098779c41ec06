package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.Names;
import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.runtime.server.ListenAddress;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An extender with the rights that {@code manifests/base/extender} gives it, and a kube-scheduler that asks it. Closing stops both. */
final class RunningExtender implements AutoCloseable {

    static final String USER = "system:serviceaccount:trainyard-system:trainyard-extender";

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");

    private final ControlPlane controlPlane;
    private final String scheduler;
    private final ExtenderComponent extender;

    private RunningExtender(ControlPlane controlPlane, String scheduler, ExtenderComponent extender) {
        this.controlPlane = controlPlane;
        this.scheduler = scheduler;
        this.extender = extender;
    }

    /** @param isAsked whether the scheduler's configuration names the extender */
    static RunningExtender start(ControlPlane controlPlane, KubernetesClient client, String scheduler, boolean isAsked)
            throws Exception {
        install(client);
        var directory = Files.createTempDirectory(controlPlane.dir(), scheduler);
        TlsDirectory.open(directory.resolve("extender"), LeafRequest.forServer("any"), Clock.systemUTC());
        var ofScheduler = Files.createDirectories(directory.resolve("scheduler"));
        for (var file : List.of("ca.crt", "ca.key")) {
            Files.copy(directory.resolve("extender").resolve(file), ofScheduler.resolve(file));
        }
        TlsDirectory.open(ofScheduler, LeafRequest.forClient("trainyard-scheduler"), Clock.systemUTC());
        var extender = ExtenderComponent.start(ExtenderOptions.withTls(directory.resolve("extender"))
                .withListen(new ListenAddress("127.0.0.1", 0))
                .withOperations(new ListenAddress("127.0.0.1", 0))
                .withKubeconfig(controlPlane.kubeconfigFor(USER, List.of("system:serviceaccounts"))));
        extender.ready().get(60, TimeUnit.SECONDS);
        controlPlane.startScheduler(scheduler, configuration(extender.port(), ofScheduler, isAsked));
        return new RunningExtender(controlPlane, scheduler, extender);
    }

    static void apply(KubernetesClient client, String manifest) throws IOException {
        try (var yaml = Files.newInputStream(MANIFESTS.resolve(manifest))) {
            client.load(yaml).serverSideApply();
        }
    }

    /** What the extender's metrics say; 0 for one that is not there. */
    double metric(String name) throws IOException, InterruptedException {
        var url = URI.create("http://127.0.0.1:%d/metrics"
                .formatted(extender.operationsPort().orElseThrow()));
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() {
        controlPlane.stop(scheduler, Duration.ofSeconds(5));
        extender.close();
    }

    private static void install(KubernetesClient client) throws IOException {
        for (var definition : List.of("trainingpools", "trainingtiers")) {
            apply(client, "base/crds/" + definition + ".yaml");
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(definition + "." + Names.GROUP)
                    .waitUntilCondition(RegisteredWebhook::isEstablished, 60, TimeUnit.SECONDS);
        }
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        apply(client, "base/extender/nudge-policy.yaml");
        apply(client, "base/extender/rbac.yaml");
    }

    private static String configuration(int port, Path tls, boolean isAsked) throws IOException {
        var yaml = new YAMLMapper();
        var configuration = (ObjectNode) yaml.readTree(
                MANIFESTS.resolve("base/extender/scheduler-config.yaml").toFile());
        if (isAsked) {
            var ours = (ObjectNode) configuration.at("/extenders/0");
            ours.put("urlPrefix", "https://127.0.0.1:" + port);
            ours.withObject("/tlsConfig")
                    .put("caFile", tls.resolve("ca.crt").toString())
                    .put("certFile", tls.resolve("tls.crt").toString())
                    .put("keyFile", tls.resolve("tls.key").toString());
        } else {
            configuration.remove("extenders");
        }
        configuration.withObject("/leaderElection").put("leaderElect", false);
        return yaml.writeValueAsString(configuration);
    }
}
