package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.Lifetimes;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.Names;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.authority.TlsContext;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerOptions;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The extender and the scaler's report server verify each other by the CA in their shared Secret, each with the rights of its own
 * ServiceAccount. A real kube-scheduler calls the extender with the certificates that the extender created for it.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class InternalCaIT {

    private static final TlsSource INTERNAL = new TlsSource.InSecret(
            "trainyard-internal-ca",
            new TlsSource.Timing(
                    new Lifetimes(
                            Duration.ofDays(1), Duration.ofHours(1), Duration.ofSeconds(20), Duration.ofSeconds(1)),
                    Duration.ofMillis(200)));

    private static final String REFUSED = "node(s) of a pool outside the pod's tier";

    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    private TestSchedulers testCluster;
    private KubernetesClient scalersClient;
    private Credentials credentials;
    private ComponentServer scaler;
    private RunningExtender extender;
    private TestFleet fleet;

    @BeforeEach
    void start(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) throws Exception {
        testCluster = TestSchedulers.open(controlPlane, client, "internal-ca-it");
        TestSchedulers.apply(client, "base/scaler/rbac.yaml");
        client.secrets()
                .inNamespace(Names.NAMESPACE)
                .withName("trainyard-internal-ca")
                .delete();
        scalersClient = ControlPlane.client(controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-scaler", List.of("system:serviceaccounts")));
        var registry = new SimpleMeterRegistry();
        credentials = INTERNAL.open(
                LeafRequest.forServer("trainyard-scaler").withIpAddresses("127.0.0.1"),
                Verifiers.READ_FOR_THEMSELVES,
                new TlsContext(scalersClient, Names.NAMESPACE, "scaler", registry, Clock.systemUTC()));
        scaler = ComponentServer.start(
                testCluster.vertx(),
                ServerOptions.of("scaler", "127.0.0.1", 0)
                        .withClientCertificates()
                        .withCertificateCheck(INTERNAL.timing().look()),
                credentials,
                Routes.none().post(UnplacedPod.PATH, request -> {
                    reported.add(new ObjectMapper()
                            .readValue(request.body().getBytes(), UnplacedPod.class)
                            .name());
                    return Response.text(202, "thanks");
                }),
                registry,
                Clock.systemUTC());
        var shared = Files.createTempDirectory(controlPlane.dir(), "scheduler-tls");
        extender = testCluster.startExtender(options -> options.withTlsFrom(INTERNAL)
                .withSchedulerTls(shared)
                .withScalerUrl(URI.create("https://127.0.0.1:" + scaler.port())));
        testCluster.startScheduler("", configuration -> ask(configuration, shared));
        fleet = new TestFleet(controlPlane, client, namespace);
        fleet.pool("ca-mine", 1);
        fleet.pool("ca-other", 1);
        fleet.tier("ca-mine", "ca-mine");
        fleet.node("ca-other", "ca-other", 1);
    }

    @AfterEach
    void stop() {
        fleet.close();
        testCluster.close();
        credentials.close();
        scalersClient.close();
    }

    @Test
    void reportsArriveBeforeAndAfterTheCaWasReplacedAndTheSchedulerNeverReadsItsFilesAgain(KubernetesClient client) {
        reportArrivesOf("first");
        var before = credentials.current();

        client.secrets()
                .inNamespace(Names.NAMESPACE)
                .withName("trainyard-internal-ca")
                .delete();
        TrainingGround.awaitTrue(
                "another CA signs",
                () -> !credentials.current().certificatePem().equals(before.certificatePem()));
        reportArrivesOf("second");

        extender.restart(options -> options);
        reportArrivesOf("third");
        assertThat(credentials.caPem()).isNotEqualTo(before.caPem());
    }

    private void reportArrivesOf(String name) {
        var pod = fleet.make(named(name).gpus(1).tier("ca-mine"));
        fleet.condition(pod, REFUSED);
        TrainingGround.awaitTrue("a report of " + name, () -> reported.contains(name));
    }

    private void ask(ObjectNode configuration, Path directory) {
        testCluster.ask(configuration, extender.port());
        // Otherwise a scheduler that retries a pod during the restart would place the pod without the extender.
        ((ObjectNode) configuration.at("/extenders/0")).put("ignorable", false);
        ((ObjectNode) configuration.at("/extenders/0/tlsConfig"))
                .put("caFile", directory.resolve("ca.crt").toString())
                .put("certFile", directory.resolve("tls.crt").toString())
                .put("keyFile", directory.resolve("tls.key").toString());
        configuration.withObject("/leaderElection").put("leaderElect", false);
    }
}
