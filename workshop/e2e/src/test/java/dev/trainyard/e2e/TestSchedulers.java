package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.Names;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.Definitions;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Extenders beside real kube-schedulers, with the rights and configuration of {@code manifests/base/extender}. The scaler is a stub that
 * records reports. Closing stops the extenders, the schedulers and the stub.
 */
final class TestSchedulers implements AutoCloseable {

    /** The ServiceAccount shared by the extender and its scheduler, which are containers of the same pod. */
    static final String SERVICE_ACCOUNT = "system:serviceaccount:trainyard-system:trainyard-scheduler";

    private static final List<String> GROUPS = List.of("system:serviceaccounts");
    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");

    private final ControlPlane controlPlane;
    private final String name;
    private final Path directory;
    private final Vertx vertx = Vertx.vertx();
    private final ComponentServer scaler;
    private final BlockingQueue<UnplacedPod> reports = new LinkedBlockingQueue<>();
    private final List<RunningExtender> extenders = new ArrayList<>();
    private final List<String> schedulers = new ArrayList<>();

    private TestSchedulers(ControlPlane controlPlane, String name) throws IOException {
        this.controlPlane = controlPlane;
        this.name = name;
        this.directory = Files.createTempDirectory(controlPlane.dir(), name);
        TlsDirectory.open(directory.resolve("ca"), LeafRequest.forServer("any"), Clock.systemUTC());
        this.scaler = ComponentServer.start(
                vertx,
                ServerOptions.of("scaler", "127.0.0.1", 0).withClientCertificates(),
                tls("scaler", LeafRequest.forServer("scaler").withIpAddresses("127.0.0.1")),
                Routes.none().post(UnplacedPod.PATH, request -> {
                    reports.add(new ObjectMapper().readValue(request.body().getBytes(), UnplacedPod.class));
                    return Response.text(202, "thanks");
                }),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
    }

    /** Opens an instance without extenders and schedulers. */
    static TestSchedulers open(ControlPlane controlPlane, KubernetesClient client, String name) throws IOException {
        install(client);
        return new TestSchedulers(controlPlane, name);
    }

    /** Starts an instance with one extender, and one scheduler that calls it. */
    static TestSchedulers start(ControlPlane controlPlane, KubernetesClient client, String name) throws IOException {
        var testCluster = open(controlPlane, client, name);
        testCluster.startScheduler("", testCluster.startExtender().port());
        return testCluster;
    }

    /** Returns the extender that was started first. */
    RunningExtender extender() {
        return extenders.get(0);
    }

    Vertx vertx() {
        return vertx;
    }

    /** Starts another extender, and returns when it is ready. */
    RunningExtender startExtender() {
        return startExtender(options -> options);
    }

    /** Starts another extender with changed options. */
    RunningExtender startExtender(UnaryOperator<ExtenderOptions> changes) {
        var own = "extender" + extenders.size();
        copyCa(own);
        var extender = RunningExtender.start(changes.apply(ExtenderOptions.withTls(directory.resolve(own))
                .withListen(new ListenAddress("127.0.0.1", 0))
                .withOperations(new ListenAddress("127.0.0.1", 0))
                .withKubeconfig(controlPlane.kubeconfigFor(SERVICE_ACCOUNT, GROUPS))
                .withScalerUrl(URI.create("https://127.0.0.1:" + scaler.port()))));
        extenders.add(extender);
        return extender;
    }

    /** Starts another scheduler that calls an extender on the given port, without leader election. */
    String startScheduler(String suffix, int port) throws IOException {
        return startScheduler(suffix, configuration -> {
            ask(configuration, port);
            configuration.withObject("/leaderElection").put("leaderElect", false);
        });
    }

    /** Starts a scheduler with the configuration of the profile without the extender. */
    void startSchedulerOfPlugins() throws IOException {
        startScheduler(
                "",
                "components/scheduler-profile-plugins/scheduler-config.yaml",
                configuration -> configuration.withObject("/leaderElection").put("leaderElect", false));
    }

    /**
     * Starts another scheduler. Returns the name of the process as soon as the scheduler is healthy.
     *
     * @param changes changes of the scheduler configuration from the manifests
     */
    String startScheduler(String suffix, Consumer<ObjectNode> changes) throws IOException {
        return startScheduler(suffix, "base/extender/scheduler-config.yaml", changes);
    }

    private String startScheduler(String suffix, String manifest, Consumer<ObjectNode> changes) throws IOException {
        var yaml = new YAMLMapper();
        var configuration =
                (ObjectNode) yaml.readTree(MANIFESTS.resolve(manifest).toFile());
        changes.accept(configuration);
        var scheduler = "trainyard-scheduler-of-" + name + suffix;
        controlPlane.startScheduler(scheduler, SERVICE_ACCOUNT, yaml.writeValueAsString(configuration));
        schedulers.add(scheduler);
        return scheduler;
    }

    /** Configures a scheduler to call the extender on a loopback port, with a timeout that is long enough for a busy machine. */
    void ask(ObjectNode configuration, int port) {
        var own = directory.resolve("scheduler");
        if (Files.notExists(own)) {
            tls("scheduler", LeafRequest.forClient("trainyard-scheduler"));
        }
        var ours = (ObjectNode) configuration.at("/extenders/0");
        ours.put("urlPrefix", "https://127.0.0.1:" + port);
        ours.put("httpTimeout", "20s");
        ours.withObject("/tlsConfig")
                .put("caFile", own.resolve("ca.crt").toString())
                .put("certFile", own.resolve("tls.crt").toString())
                .put("keyFile", own.resolve("tls.key").toString());
    }

    /** Waits for a report about the pod with matching reasons, and returns the report. */
    UnplacedPod reportOf(Pod pod, Predicate<Map<String, Integer>> reasons) throws InterruptedException {
        UnplacedPod report;
        do {
            report = reports.poll(30, TimeUnit.SECONDS);
            assertThat(report).as("a report of %s", pod.getMetadata().getName()).isNotNull();
        } while (!report.uid().equals(pod.getMetadata().getUid()) || !reasons.test(report.reasons()));
        return report;
    }

    static void apply(KubernetesClient client, String manifest) throws IOException {
        try (var yaml = Files.newInputStream(MANIFESTS.resolve(manifest))) {
            client.load(yaml).serverSideApply();
        }
    }

    @Override
    public void close() {
        schedulers.forEach(scheduler -> controlPlane.stop(scheduler, Duration.ofSeconds(5)));
        extenders.forEach(RunningExtender::stop);
        scaler.close(Duration.ZERO);
        vertx.close().await();
    }

    private static void install(KubernetesClient client) throws IOException {
        for (var definition : List.of("trainingpools", "trainingtiers", "trainingclusters")) {
            apply(client, "base/crds/" + definition + ".yaml");
            Definitions.awaitEstablished(client, definition + "." + Names.GROUP);
        }
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        apply(client, "base/secrets-policy.yaml");
        apply(client, "base/extender/nudge-policy.yaml");
        apply(client, "base/scaler/notice-policy.yaml");
        apply(client, "base/scheduler/rbac.yaml");
        apply(client, "base/extender/rbac.yaml");
    }

    private TlsDirectory tls(String component, LeafRequest leaf) {
        copyCa(component);
        return TlsDirectory.open(directory.resolve(component), leaf, Clock.systemUTC());
    }

    private void copyCa(String component) {
        try {
            var own = Files.createDirectories(directory.resolve(component));
            for (var file : List.of("ca.crt", "ca.key")) {
                Files.copy(directory.resolve("ca").resolve(file), own.resolve(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
