package dev.trainyard.local;

import static dev.trainyard.local.ControlPlaneCertificates.LOOPBACK;

import dev.trainyard.local.ControlPlaneComponent.Recipe;
import dev.trainyard.local.binaries.Binary;
import dev.trainyard.local.binaries.ControlPlaneBinaries;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess.Launch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The command line of each component of the control plane. Flags that are not self-evident have a comment. */
final class ComponentCommands {
    private final ControlPlaneBinaries binaries;
    private final ControlPlaneCertificates identities;
    private final Path data;
    private final Path logs;
    private final HttpProbe probe;
    private final HttpProbe storeProbe;

    ComponentCommands(ControlPlaneBinaries binaries, ControlPlaneCertificates identities, Path data, Path logs) {
        this.binaries = binaries;
        this.identities = identities;
        this.data = data;
        this.logs = logs;
        this.probe = identities.clusterProbe();
        this.storeProbe = identities.storeProbe();
    }

    Recipe etcd(int port) {
        String url = url(port);
        // etcd requires a peer listener, although there are no peers.
        String peerUrl = url(FreePort.onLoopback());
        Flags flags = new Flags()
                .add("name", "local")
                .add("data-dir", data.resolve("etcd-" + port).toString())
                .add("listen-client-urls", url)
                .add("advertise-client-urls", url)
                .add("listen-peer-urls", peerUrl)
                .add("initial-advertise-peer-urls", peerUrl)
                .add("initial-cluster", "local=" + peerUrl)
                .add("log-level", "warn")
                // The data must survive a crash of the process, but not of the machine.
                .add("unsafe-no-fsync", "true");
        for (String prefix : List.of("", "peer-")) {
            flags.add(prefix + "cert-file", identities.file("etcd-server.crt"))
                    .add(prefix + "key-file", identities.file("etcd-server.key"))
                    .add(prefix + "trusted-ca-file", identities.file("etcd-ca.crt"))
                    .add(prefix + "client-cert-auth", "true");
        }
        return recipe(Binary.ETCD, flags, () -> storeProbe.isOk(url + "/health"));
    }

    Recipe apiServer(int port, int etcdPort) {
        return apiServer(port, apiServerFlags(port, etcdPort));
    }

    Recipe auditedApiServer(int port, int etcdPort, Path policy, Path log) {
        return apiServer(
                port,
                apiServerFlags(port, etcdPort).add("audit-policy-file", policy).add("audit-log-path", log));
    }

    private Recipe apiServer(int port, Flags flags) {
        return recipe(Binary.KUBE_APISERVER, flags, () -> probe.isOk(url(port) + "/readyz"));
    }

    private Flags apiServerFlags(int port, int etcdPort) {
        return new Flags()
                .add("bind-address", LOOPBACK)
                .add("secure-port", port)
                .add("tls-cert-file", identities.file("server.crt"))
                .add("tls-private-key-file", identities.file("server.key"))
                .add("client-ca-file", identities.file("ca.crt"))
                .add("etcd-servers", url(etcdPort))
                .add("etcd-cafile", identities.file("etcd-ca.crt"))
                .add("etcd-certfile", identities.file("etcd-client.crt"))
                .add("etcd-keyfile", identities.file("etcd-client.key"))
                .add("authorization-mode", "RBAC")
                .add("service-account-issuer", "https://kubernetes.default.svc")
                .add("service-account-key-file", identities.file("service-accounts.pub"))
                .add("service-account-signing-key-file", identities.file("service-accounts.key"))
                .add("service-cluster-ip-range", ControlPlaneCertificates.SERVICE_RANGE)
                // Gives the Service "kubernetes" no endpoint, because Kubernetes does not allow a loopback address as
                // an endpoint.
                .add("endpoint-reconciler-type", "none")
                .add("allow-privileged", "true")
                .add("profiling", "false");
    }

    Recipe controllerManager(int port, Path kubeconfig) {
        Flags flags = servedWith(port, kubeconfig)
                .add("kubeconfig", kubeconfig)
                .add("leader-elect", "false")
                .add("use-service-account-credentials", "true")
                .add("service-account-private-key-file", identities.file("service-accounts.key"))
                .add("root-ca-file", identities.file("ca.crt"))
                .add("allocate-node-cidrs", "false")
                // Simulated machines send no heartbeats, so missing heartbeats must not mark them as lost.
                .add("node-monitor-grace-period", "24h")
                // The default of twenty requests per second would dominate the measured time of a burst of pods.
                .add("kube-api-qps", 500)
                .add("kube-api-burst", 1000);
        return recipe(Binary.KUBE_CONTROLLER_MANAGER, flags, healthy(port));
    }

    Recipe scheduler(String name, int port, Path kubeconfig, Path configuration) {
        Flags flags = servedWith(port, kubeconfig).add("config", configuration);
        return recipe(name, Binary.KUBE_SCHEDULER, flags, healthy(port));
    }

    Recipe kwok(int port, Path kubeconfig, Path configuration) {
        Flags flags = new Flags()
                .add("kubeconfig", kubeconfig)
                .add("config", configuration)
                .add("manage-all-nodes", "true")
                .add("server-address", LOOPBACK + ":" + port)
                .add("tls-cert-file", identities.file("server.crt"))
                .add("tls-private-key-file", identities.file("server.key"));
        return recipe(Binary.KWOK, flags, healthy(port));
    }

    static String url(int port) {
        return "https://" + LOOPBACK + ":" + port;
    }

    private Flags servedWith(int port, Path kubeconfig) {
        return new Flags()
                .add("bind-address", LOOPBACK)
                .add("secure-port", port)
                .add("tls-cert-file", identities.file("server.crt"))
                .add("tls-private-key-file", identities.file("server.key"))
                .add("authentication-kubeconfig", kubeconfig)
                .add("authorization-kubeconfig", kubeconfig);
    }

    private BooleanSupplier healthy(int port) {
        return () -> probe.isOk(url(port) + "/healthz");
    }

    private Recipe recipe(Binary binary, Flags flags, BooleanSupplier ready) {
        return recipe(binary.fileName(), binary, flags, ready);
    }

    private Recipe recipe(String name, Binary binary, Flags flags, BooleanSupplier ready) {
        List<String> command = new ArrayList<>(List.of(binaries.path(binary).toString()));
        command.addAll(flags.arguments());
        // A separate home directory keeps kwok from reading the user's own configuration.
        Map<String, String> environment = Map.of("HOME", data.toString());
        return new Recipe(new Launch(name, command, environment, logs.resolve(name + ".log")), ready);
    }

    private static final class Flags {
        private final List<String> arguments = new ArrayList<>();

        Flags add(String name, Object value) {
            arguments.add("--" + name + "=" + value);
            return this;
        }

        List<String> arguments() {
            return arguments;
        }
    }
}
