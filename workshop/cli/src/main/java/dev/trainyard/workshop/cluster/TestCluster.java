package dev.trainyard.workshop.cluster;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.binaries.ProgressListener;
import dev.trainyard.local.process.SupervisedProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Trainyard installed on a local control plane, for the demo, tests and benchmarks. The manifests are applied with the real kubectl. Each
 * component is a separate process with the rights of its own ServiceAccount. A second kube-scheduler calls the extender. Thread-safe.
 */
public final class TestCluster implements AutoCloseable {

    /** The process name of the kube-scheduler that calls the extender. */
    public static final String TRAINYARD_SCHEDULER = "trainyard-scheduler";

    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    private final TestClusterOptions options;
    private final ControlPlane controlPlane;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private final Path manifests;
    private final Optional<TestCloud> cloud;
    private final Map<InstalledComponent, ComponentLaunch> launches = new EnumMap<>(InstalledComponent.class);
    private final Map<InstalledComponent, SupervisedProcess> processes = new EnumMap<>(InstalledComponent.class);

    private TestCluster(TestClusterOptions options, ControlPlane controlPlane) {
        this.options = options;
        this.controlPlane = controlPlane;
        this.client = controlPlane.client();
        this.kubectl = new Kubectl(controlPlane, controlPlane.dir());
        this.manifests = PackedManifests.unpack(controlPlane.dir());
        this.cloud = TestCloud.start(options.cloud(), controlPlane.dir(), manifests, client);
        var certificates = Certificates.issue(controlPlane.dir().resolve("tls"), Clock.systemUTC());
        var scalerUrl = launch(InstalledComponent.SCALER, certificates, "").url();
        launch(InstalledComponent.EXTENDER, certificates, scalerUrl);
        launch(InstalledComponent.WEBHOOK, certificates, "");
    }

    /**
     * Starts the control plane and Trainyard; returns as soon as every component is ready. The caller must apply pools and tiers.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException if no control plane is available
     * @throws dev.trainyard.local.ControlPlaneException if a process of the control plane does not start
     * @throws TestClusterException if a component of Trainyard does not start
     */
    public static TestCluster start(TestClusterOptions options, ProgressListener progress) {
        var controlPlane = ControlPlane.start(options.controlPlane(), progress);
        TestCluster testCluster;
        try {
            testCluster = new TestCluster(options, controlPlane);
        } catch (RuntimeException e) {
            controlPlane.close();
            throw e;
        }
        try {
            progress.step("Installing Trainyard");
            testCluster.install();
            progress.step("Starting the webhook, the extender and the scaler");
            testCluster.startParts();
            testCluster.cloud.ifPresent(TestCloud::connect);
            return testCluster;
        } catch (RuntimeException e) {
            testCluster.closeKeepingLogs();
            throw e;
        }
    }

    public ControlPlane controlPlane() {
        return controlPlane;
    }

    /** Returns a client with the rights of an administrator. {@link #close} closes the client. */
    public KubernetesClient client() {
        return client;
    }

    /** Returns the real kubectl. Its working directory contains {@code manifests/}. */
    public Kubectl kubectl() {
        return kubectl;
    }

    /** Returns the directory of the unpacked manifests. */
    public Path manifests() {
        return manifests;
    }

    /** Returns the URL of the component, such as {@code https://127.0.0.1:34567}. A restart does not change the URL. */
    public String url(InstalledComponent part) {
        return launchOf(part).url();
    }

    /** Returns the base URL of the component's plain HTTP server, with {@code /metrics}, {@code /readyz} and {@code /healthz}. */
    public String operationsUrl(InstalledComponent part) {
        return launchOf(part).operationsUrl();
    }

    /** Whether the component's process is alive. */
    public synchronized boolean isRunning(InstalledComponent part) {
        var process = processes.get(part);
        return process != null && process.isAlive();
    }

    /** Returns the component's process, running or ended. */
    public synchronized SupervisedProcess process(InstalledComponent part) {
        var process = processes.get(part);
        if (process == null) {
            throw new IllegalArgumentException("the test cluster has not started component " + part);
        }
        return process;
    }

    /** Returns the component's log file. */
    public Path log(InstalledComponent part) {
        return launchOf(part).logFile();
    }

    /** Kills the component (SIGKILL). */
    public synchronized void kill(InstalledComponent part) {
        var process = processes.get(part);
        if (process != null) {
            process.kill();
        }
    }

    /** Stops the component; kills the process if it does not end within 10 s. */
    public synchronized void stop(InstalledComponent part) {
        var process = processes.get(part);
        if (process != null) {
            process.stop(STOP_GRACE);
        }
    }

    /** Starts the component, which must not be running, and returns as soon as it is ready. */
    public void start(InstalledComponent part) {
        var launch = launchOf(part);
        SupervisedProcess process;
        synchronized (this) {
            process = launch.start();
            controlPlane.adopt(process);
            processes.put(part, process);
        }
        ComponentReadiness.await(launch, process, options.controlPlane().startTimeout());
    }

    /**
     * Announces the reclaim of a node's machine, as far as the cloud itself does so.
     *
     * @return the command of the cloud's CLI that has the same effect; empty if only agents on nodes announce reclaims
     * @throws IllegalArgumentException if the cloud has no machine of this node
     */
    public Optional<String> announceReclaim(String node) {
        return cloud.flatMap(running -> running.announceReclaim(node));
    }

    /** Stops all processes and removes all files. A shutdown hook does the same if the JVM is terminated. */
    @Override
    public void close() {
        leave();
        controlPlane.close();
    }

    /** Stops all processes, and removes all files except the logs. */
    public void closeKeepingLogs() {
        leave();
        controlPlane.closeKeepingLogs();
    }

    private void leave() {
        cloud.ifPresent(TestCloud::close);
        client.close();
    }

    private ComponentLaunch launch(InstalledComponent part, Certificates certificates, String scalerUrl) {
        var environment = part == InstalledComponent.SCALER
                ? cloud.map(TestCloud::environment)
                : Optional.<Map<String, String>>empty();
        var launch = ComponentLaunch.of(
                part, controlPlane, certificates.directory(part), scalerUrl, options, environment.orElse(Map.of()));
        launches.put(part, launch);
        return launch;
    }

    private ComponentLaunch launchOf(InstalledComponent part) {
        var launch = launches.get(part);
        if (launch == null) {
            throw new IllegalArgumentException("the test cluster has not started component " + part);
        }
        return launch;
    }

    private void install() {
        write("install/kustomization.yaml", LocalManifests.kustomization(url(InstalledComponent.WEBHOOK)));
        kubectl.succeed("apply", "-k", "install");
        Definitions.awaitEstablished(
                client, "trainingpools.trainyard.dev", "trainingtiers.trainyard.dev", "trainingclusters.trainyard.dev");
        cloud.flatMap(TestCloud::settings).ifPresent(settings -> {
            write("install/settings.yaml", settings);
            kubectl.succeed("apply", "-f", "install/settings.yaml");
        });
    }

    private void startParts() {
        var starts = options.parts().stream()
                .map(part -> CompletableFuture.runAsync(() -> start(part)))
                .toList();
        var scheduler = CompletableFuture.runAsync(() -> controlPlane.startScheduler(
                TRAINYARD_SCHEDULER,
                "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, TRAINYARD_SCHEDULER),
                LocalManifests.schedulerConfiguration(
                        manifests,
                        url(InstalledComponent.EXTENDER),
                        controlPlane.dir().resolve("tls").resolve("scheduler"))));
        try {
            starts.forEach(CompletableFuture::join);
            scheduler.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void write(String name, String text) {
        try {
            var file = controlPlane.dir().resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
