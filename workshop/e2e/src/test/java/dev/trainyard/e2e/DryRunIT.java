package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.scaler.ScalerComponent;
import dev.trainyard.scaler.ScalerOptions;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

/** A dry-run scaler with read rights only, beside an active scaler. Any write of it would be refused and logged. */
@WithTestCluster
@ResourceLock(value = WithTestCluster.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
class DryRunIT {

    private static final String USER = "looker";

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.trainyard");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    @Test
    void looksWithNoMoreThanTheRightToReadAndNobodyRefusesItAnything(TestCluster testCluster, TrainingGround ground) {
        var kubeconfig = readOnly(testCluster);
        var options = new ScalerOptions(
                kubeconfig,
                new ListenAddress("127.0.0.1", 0),
                TlsSource.directory(Path.of("target", "no-such-directory")),
                null,
                null,
                Duration.ofSeconds(1),
                Duration.ofMillis(100),
                Names.NAMESPACE,
                USER,
                null,
                true,
                Planner.DEFAULT_PRIORITY_CUTOFF);
        var lease = lease(testCluster);
        try (var looking = ScalerComponent.start(options, List.of(), () -> {})) {
            ground.kubectl("create", "-f", ground.job("train", 1, 2, ""));
            TrainingGround.awaitTrue("both pods run", () -> ground.placedPods().size() == 2);
            ground.kubectl("create", "-f", ground.job("never", 64, 1, ""));
            TrainingGround.awaitTrue(
                    "it logs why a pod waits that fits no machine",
                    () -> lines(Level.INFO).stream().anyMatch(line -> line.contains(ground.namespace() + "/never")));
            assertThat(looking.port()).as("it takes no reports").isZero();
        }
        // Refusals of other users are ignored: the active scaler may write to the namespace of a test that has just
        // ended.
        assertThat(lines(Level.WARN)).noneMatch(line -> line.contains("User \"" + USER + "\""));
        assertThat(lease(testCluster)).as("who leads").isEqualTo(lease);
        assertThat(testCluster
                        .client()
                        .resources(Event.class)
                        .inNamespace(ground.namespace())
                        .list()
                        .getItems())
                .noneMatch(event -> USER.equals(event.getReportingInstance()));
    }

    private static Path readOnly(TestCluster testCluster) {
        testCluster
                .kubectl()
                .succeed(
                        "create",
                        "clusterrole",
                        USER,
                        "--verb=get,list,watch",
                        "--resource=pods,nodes,namespaces,configmaps,limitranges,daemonsets.apps,poddisruptionbudgets.policy,"
                                + "trainingpools.trainyard.dev,trainingtiers.trainyard.dev,"
                                + "trainingclusters.trainyard.dev");
        testCluster.kubectl().succeed("create", "clusterrolebinding", USER, "--clusterrole=" + USER, "--user=" + USER);
        return testCluster.controlPlane().kubeconfigFor(USER, List.of());
    }

    private static String lease(TestCluster testCluster) {
        return testCluster
                .client()
                .leases()
                .inNamespace(Names.NAMESPACE)
                .withName("trainyard-scaler")
                .require()
                .getSpec()
                .getHolderIdentity();
    }

    private List<String> lines(Level atLeast) {
        return List.copyOf(logged.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(atLeast))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
