package dev.trainyard.local;

import dev.trainyard.local.Component.Recipe;
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
 * A real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok in
 * place of kubelets ({@link SimulatedMachines}).
 *
 * <p>TLS is verified and RBAC is on everywhere, so components run with the rights that they would have in earnest. The
 * processes die with this JVM whatever happens to it. Thread-safe.
 */
public final class ControlPlane implements AutoCloseable {
    public static final String ETCD = "etcd";
    public static final String API_SERVER = "kube-apiserver";
    public static final String CONTROLLER_MANAGER = "kube-controller-manager";
    public static final String SCHEDULER = "kube-scheduler";
    public static final String KWOK = "kwok";

    private static final String LOGS = "logs";
    /** Watches are written down when they begin. */
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
    private final Identities identities;
    private final Recipes recipes;
    private final Map<String, Component> components = new TreeMap<>();
    private final List<SupervisedProcess> guests = new ArrayList<>();
    /** For a JVM that is told to end, at whatever moment. */
    private final Thread onShutdown = new Thread(this::close, "control-plane-shutdown");

    private final AtomicBoolean closed = new AtomicBoolean();
    private String apiServerUrl = "";
    private Path kubeconfig = Path.of("");

    private ControlPlane(ControlPlaneOptions options, ControlPlaneBinaries binaries, WorkDirectory directory) {
        this.options = options;
        this.binaries = binaries;
        this.directory = directory;
        this.identities = new Identities(directory.directory("pki"));
        this.recipes = new Recipes(binaries, identities, directory.directory("data"), directory.directory(LOGS));
        Runtime.getRuntime().addShutdownHook(onShutdown);
    }

    /**
     * Starts a control plane and returns when it is ready: pods can be made in namespace {@code default}.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException when there are no binaries to start
     * @throws ControlPlaneException when a process does not start; none is left running then, and the logs are kept
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

    /** Such as {@code https://127.0.0.1:34567}. */
    public String apiServerUrl() {
        return apiServerUrl;
    }

    /** Of an administrator. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /** The kubectl that belongs to this version. */
    public Path kubectl() {
        return binaries.path(Binary.KUBECTL);
    }

    /** Where the processes write; one file for each, named after it. */
    public Path logs() {
        return directory.path().resolve(LOGS);
    }

    /** Where an {@linkplain ControlPlaneOptions#audited() audited} API server writes what it was asked, a JSON object on each line. */
    public Path auditLog() {
        return logs().resolve("audit.log");
    }

    /** The directory of all its files, removed by {@link #close()}. */
    public Path dir() {
        return directory.path();
    }

    /**
     * Makes a kubeconfig for somebody. Which rights that gives is for RBAC objects to say; none are made here.
     *
     * @param user such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
     * @param groups the API server adds {@code system:authenticated} by itself
     */
    public Path kubeconfigFor(String user, List<String> groups) {
        return identities.kubeconfig(apiServerUrl, user, groups);
    }

    /** A new client for an administrator; the caller closes it. */
    public KubernetesClient client() {
        return client(kubeconfig);
    }

    /** A new client with the rights of that kubeconfig; the caller closes it. */
    public static KubernetesClient client(Path kubeconfig) {
        Config config = new ConfigBuilder(Config.fromKubeconfig(kubeconfig.toFile()))
                .withRequestRetryBackoffLimit(3)
                // Whatever proxy the environment names, loopback is not behind it.
                .withNoProxy("127.0.0.1")
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** {@link #startScheduler(String, String, String)} with the rights of the default scheduler. */
    public SupervisedProcess startScheduler(String name, String configuration) {
        return startScheduler(name, SCHEDULER_USER, configuration);
    }

    /**
     * Starts another kube-scheduler beside the default one.
     *
     * @param name of the process and its log
     * @param user whose rights it has, such as {@code system:serviceaccount:trainyard-system:trainyard-scheduler}
     * @param configuration a KubeSchedulerConfiguration as YAML; {@code clientConnection.kubeconfig} is put in, and
     *     leader election is off unless it says otherwise
     * @throws ControlPlaneException when it does not start, for one because the configuration is wrong
     */
    public SupervisedProcess startScheduler(String name, String user, String configuration) {
        synchronized (components) {
            if (components.containsKey(name)) {
                throw new IllegalArgumentException("there is a process \"" + name + "\" already; restart it, or name"
                        + " the new one differently");
            }
        }
        return add(name, startScheduler(name, user, configuration, deadline())).process();
    }

    /** The process of that name, one of the constants here or a started scheduler; dead or alive. */
    public SupervisedProcess process(String name) {
        return component(name).process();
    }

    /** Kills a process (SIGKILL). Nothing starts it again but {@link #restart}. */
    public void kill(String name) {
        component(name).process().kill();
    }

    /** Asks a process to end (SIGTERM), and kills it after {@code grace}. */
    public void stop(String name, Duration grace) {
        component(name).process().stop(grace);
    }

    /** Kills a process if it runs, starts it again on the same port, and returns when it is ready. */
    public void restart(String name) {
        component(name).restart(options.startTimeout());
    }

    /** Has a process that works on this control plane end with it: killed before the directory goes that its log is in. */
    public void adopt(SupervisedProcess guest) {
        synchronized (guests) {
            guests.add(guest);
        }
    }

    /** Kills all processes and removes the directory. Done by itself when the JVM is told to end; once closed, does nothing. */
    @Override
    public void close() {
        close(WorkDirectory::close);
    }

    /** {@link #close} that leaves {@link #logs()}, for somebody to find out what went wrong. */
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
                // The JVM is ending, and the hook will find that there is nothing left to do.
            }
        }
    }

    private void startAll() {
        Instant deadline = deadline();
        int etcdPort = add(ETCD, Component.start(recipes::etcd, deadline)).port();
        Component apiServer = add(API_SERVER, Component.start(port -> apiServer(port, etcdPort), deadline));
        apiServerUrl = Recipes.url(apiServer.port());
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
        return CompletableFuture.runAsync(() -> add(name, Component.start(recipe, deadline)));
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

    private Component startScheduler(String name, String user, String configuration, Instant deadline) {
        Path identity = kubeconfigFor(user, List.of("system:serviceaccounts"));
        Path file = write(name + ".yaml", SchedulerConfiguration.complete(configuration, identity));
        return Component.start(port -> recipes.scheduler(name, port, identity, file), deadline);
    }

    /** Without it the API server refuses pods. The controller manager makes it shortly after it has started. */
    private void awaitDefaultServiceAccount(Instant deadline) {
        try (KubernetesClient client = client()) {
            while (client.serviceAccounts()
                            .inNamespace("default")
                            .withName("default")
                            .get()
                    == null) {
                if (Instant.now().isAfter(deadline)) {
                    throw ControlPlaneException.of(
                            process(CONTROLLER_MANAGER), "did not make the ServiceAccount default/default in time");
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

    private Component add(String name, Component component) {
        synchronized (components) {
            components.put(name, component);
        }
        return component;
    }

    private Component component(String name) {
        synchronized (components) {
            Component component = components.get(name);
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
            components.values().forEach(Component::close);
        }
    }
}
