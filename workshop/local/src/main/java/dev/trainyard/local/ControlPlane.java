package dev.trainyard.local;

import dev.trainyard.local.ControlPlaneComponent.Recipe;
import dev.trainyard.local.binaries.Binary;
import dev.trainyard.local.binaries.BinarySource;
import dev.trainyard.local.binaries.ControlPlaneBinaries;
import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.local.binaries.ProgressListener;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.process.WorkDirectory;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok in place of kubelets
 * ({@link SimulatedMachines}).
 *
 * <p>TLS verification and RBAC are on everywhere, so components have the same rights as in production. The processes end with this JVM,
 * even if the JVM is killed. Thread-safe.
 */
public final class ControlPlane implements AutoCloseable {
    public static final String ETCD = "etcd";
    public static final String API_SERVER = "kube-apiserver";
    public static final String CONTROLLER_MANAGER = "kube-controller-manager";
    public static final String SCHEDULER = "kube-scheduler";
    public static final String KWOK = "kwok";

    private static final String LOGS = "logs";
    /** A policy that logs each request once, at its end. A watch is logged at its start as well. */
    private static final String AUDIT_POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules: [{level: Metadata}]
            """;

    private static final String SCHEDULER_USER = "system:kube-scheduler";
    private static final List<String> ADMINISTRATORS = List.of("system:masters");

    private final ControlPlaneOptions options;
    private final ControlPlaneBinaries binaries;
    private final WorkDirectory directory;
    private final ControlPlaneCertificates identities;
    private final ComponentCommands recipes;
    private final Map<String, ControlPlaneComponent> components = new TreeMap<>();
    private final List<SupervisedProcess> guests = new ArrayList<>();
    /** The shutdown hook, which closes the control plane if the JVM is terminated. */
    private final Thread onShutdown = new Thread(this::close, "control-plane-shutdown");

    private final AtomicBoolean closed = new AtomicBoolean();
    private String apiServerUrl = "";
    private Path kubeconfig = Path.of("");

    private ControlPlane(ControlPlaneOptions options, ControlPlaneBinaries binaries, WorkDirectory directory) {
        this.options = options;
        this.binaries = binaries;
        this.directory = directory;
        this.identities = new ControlPlaneCertificates(directory.directory("pki"));
        this.recipes =
                new ComponentCommands(binaries, identities, directory.directory("data"), directory.directory(LOGS));
        Runtime.getRuntime().addShutdownHook(onShutdown);
    }

    /**
     * Starts a control plane. Returns as soon as pods can be created in namespace {@code default}.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException if the binaries are unavailable
     * @throws ControlPlaneException if a process does not start; all processes are stopped then, and the logs are kept
     */
    public static ControlPlane start(ControlPlaneOptions options, ProgressListener progress) {
        ControlPlaneBinaries binaries = BinarySource.standard(progress).find(options.version());
        progress.step("Starting Kubernetes " + options.version() + " from " + binaries.origin());
        WorkDirectory directory = WorkDirectory.create(options.parentDirectory(), "trainyard");
        ControlPlane controlPlane;
        try {
            controlPlane = new ControlPlane(options, binaries, directory);
        } catch (RuntimeException e) {
            directory.close();
            throw e;
        }
        try {
            controlPlane.startAll();
            return controlPlane;
        } catch (RuntimeException e) {
            controlPlane.closeKeepingLogs();
            throw e;
        }
    }

    public KubernetesVersion version() {
        return options.version();
    }

    /** Returns the URL of the API server, such as {@code https://127.0.0.1:34567}. */
    public String apiServerUrl() {
        return apiServerUrl;
    }

    /** Returns an administrator's kubeconfig. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /** Returns the path of the kubectl of this version. */
    public Path kubectl() {
        return binaries.path(Binary.KUBECTL);
    }

    /** Returns the directory of the processes' logs; each file is named after its process. */
    public Path logs() {
        return directory.path().resolve(LOGS);
    }

    /** Returns the audit log of an {@linkplain ControlPlaneOptions#audited() audited} API server, with a JSON object on each line. */
    public Path auditLog() {
        return logs().resolve("audit.log");
    }

    /** Returns the directory of all files of this control plane, which {@link #close()} removes. */
    public Path dir() {
        return directory.path();
    }

    /**
     * Writes a kubeconfig for a user. Grants no rights: the caller must create RBAC objects for the user.
     *
     * @param user name of the user, such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
     * @param groups groups of the user, without {@code system:authenticated}, which the API server adds
     */
    public Path kubeconfigFor(String user, List<String> groups) {
        return identities.kubeconfig(apiServerUrl, user, groups);
    }

    /** Returns a new client with an administrator's rights; the caller closes it. */
    public KubernetesClient client() {
        return client(kubeconfig);
    }

    /** Returns a new client with the rights of the given kubeconfig; the caller closes it. */
    public static KubernetesClient client(Path kubeconfig) {
        Config config = new ConfigBuilder(Config.fromKubeconfig(kubeconfig.toFile()))
                .withRequestRetryBackoffLimit(3)
                // Loopback is never reached through a proxy, even if the environment names one.
                .withNoProxy("127.0.0.1")
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** Starts another kube-scheduler with the rights of the default one. See {@link #startScheduler(String, String, String)}. */
    public SupervisedProcess startScheduler(String name, String configuration) {
        return startScheduler(name, SCHEDULER_USER, configuration);
    }

    /**
     * Starts another kube-scheduler beside the default one.
     *
     * @param name name of the process and its log
     * @param user user whose rights the scheduler has, such as {@code system:serviceaccount:trainyard-system:trainyard-scheduler}
     * @param configuration a KubeSchedulerConfiguration as YAML; this method sets {@code clientConnection.kubeconfig}, and turns leader
     *     election off if the configuration does not mention it
     * @throws ControlPlaneException if the scheduler does not start, for example because the configuration is invalid
     */
    public SupervisedProcess startScheduler(String name, String user, String configuration) {
        synchronized (components) {
            if (components.containsKey(name)) {
                throw new IllegalArgumentException("a process \"" + name + "\" exists already; restart that process, or"
                        + " choose another name for the new process");
            }
        }
        return add(name, startScheduler(name, user, configuration, deadline())).process();
    }

    /**
     * Returns the process of that name, running or ended. The name is a constant of this class, or the name of a scheduler that
     * {@link #startScheduler(String, String)} started.
     */
    public SupervisedProcess process(String name) {
        return component(name).process();
    }

    /** Kills a process (SIGKILL). The process stays down until {@link #restart}. */
    public void kill(String name) {
        component(name).process().kill();
    }

    /** Terminates a process (SIGTERM), and kills it after {@code grace}. */
    public void stop(String name, Duration grace) {
        component(name).process().stop(grace);
    }

    /** Kills a process if it runs, starts it again on the same port, and returns when it is ready. */
    public void restart(String name) {
        component(name).restart(options.startTimeout());
    }

    /**
     * Registers another process that uses this control plane. On close, that process is killed before the directory with its log is
     * removed.
     */
    public void adopt(SupervisedProcess guest) {
        synchronized (guests) {
            guests.add(guest);
        }
    }

    /** Kills all processes and removes the directory. A shutdown hook also calls this method. Later calls have no effect. */
    @Override
    public void close() {
        close(WorkDirectory::close);
    }

    /** Closes the control plane like {@link #close}, but keeps {@link #logs()} for an investigation. */
    public void closeKeepingLogs() {
        close(all -> all.keepOnly(LOGS));
    }

    private void close(Consumer<WorkDirectory> remove) {
        if (closed.getAndSet(true)) {
            return;
        }
        killAll();
        remove.accept(directory);
        if (Thread.currentThread() != onShutdown) {
            try {
                Runtime.getRuntime().removeShutdownHook(onShutdown);
            } catch (IllegalStateException e) {
                // The JVM is shutting down, and the hook will find everything closed.
            }
        }
    }

    private void startAll() {
        Instant deadline = deadline();
        int etcdPort =
                add(ETCD, ControlPlaneComponent.start(recipes::etcd, deadline)).port();
        ControlPlaneComponent apiServer =
                add(API_SERVER, ControlPlaneComponent.start(port -> apiServer(port, etcdPort), deadline));
        apiServerUrl = ComponentCommands.url(apiServer.port());
        kubeconfig = kubeconfigFor("admin", ADMINISTRATORS);

        CompletableFuture<?> started = CompletableFuture.allOf(
                startInBackground(CONTROLLER_MANAGER, this::controllerManager, deadline),
                startInBackground(KWOK, this::kwok, deadline),
                CompletableFuture.runAsync(() -> add(
                        SCHEDULER,
                        startScheduler(SCHEDULER, SCHEDULER_USER, SchedulerConfiguration.DEFAULT, deadline))));
        try {
            started.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        awaitDefaultServiceAccount(deadline);
    }

    private CompletableFuture<Void> startInBackground(String name, IntFunction<Recipe> recipe, Instant deadline) {
        return CompletableFuture.runAsync(() -> add(name, ControlPlaneComponent.start(recipe, deadline)));
    }

    private Recipe apiServer(int port, int etcdPort) {
        return options.audited()
                ? recipes.auditedApiServer(port, etcdPort, write("audit.yaml", AUDIT_POLICY), auditLog())
                : recipes.apiServer(port, etcdPort);
    }

    private Recipe controllerManager(int port) {
        return recipes.controllerManager(port, kubeconfigFor("system:kube-controller-manager", List.of()));
    }

    private Recipe kwok(int port) {
        Path configuration = write("kwok.yaml", SimulatedMachines.configuration(options));
        return recipes.kwok(port, kubeconfigFor("kwok", ADMINISTRATORS), configuration);
    }

    private ControlPlaneComponent startScheduler(String name, String user, String configuration, Instant deadline) {
        Path identity = kubeconfigFor(user, List.of("system:serviceaccounts"));
        Path file = write(name + ".yaml", SchedulerConfiguration.complete(configuration, identity));
        return ControlPlaneComponent.start(port -> recipes.scheduler(name, port, identity, file), deadline);
    }

    /**
     * Waits for the default ServiceAccount, without which the API server rejects pods. The controller manager creates this account soon
     * after its own start.
     */
    private void awaitDefaultServiceAccount(Instant deadline) {
        try (KubernetesClient client = client()) {
            while (client.serviceAccounts()
                            .inNamespace("default")
                            .withName("default")
                            .get()
                    == null) {
                if (Instant.now().isAfter(deadline)) {
                    throw ControlPlaneException.of(
                            process(CONTROLLER_MANAGER), "did not create the ServiceAccount default/default in time");
                }
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("interrupted while the control plane was starting", e);
        }
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.path().resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Instant deadline() {
        return Instant.now().plus(options.startTimeout());
    }

    private ControlPlaneComponent add(String name, ControlPlaneComponent component) {
        synchronized (components) {
            components.put(name, component);
        }
        return component;
    }

    private ControlPlaneComponent component(String name) {
        synchronized (components) {
            ControlPlaneComponent component = components.get(name);
            if (component == null) {
                throw new IllegalArgumentException(
                        "there is no process \"" + name + "\"; there are " + components.keySet());
            }
            return component;
        }
    }

    private void killAll() {
        synchronized (guests) {
            guests.forEach(SupervisedProcess::kill);
        }
        synchronized (components) {
            components.values().forEach(ControlPlaneComponent::close);
        }
    }
}
