package dev.trainyard.extender;

import dev.trainyard.core.Names;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The options of an extender.
 *
 * @param tls source of the CA and of the certificate that the extender shows to the scaler. Unless {@code schedulerTls} is given, the
 *     extender shows this certificate to callers too, and callers need a certificate of this CA
 * @param schedulerTls directory in which the extender creates the certificates of the scheduler in the same pod. If given, the extender shows
 *     callers a certificate of the CA in this directory, and callers need a certificate of this CA
 * @param kubeconfig kubeconfig file; empty to use kubectl's default kubeconfig or, if there is none, the cluster that the extender runs in
 * @param resources files with nodes, pods, pools and tiers to use instead of a cluster
 * @param scalerUrl receiver of reports about pods without a node; empty for none
 * @param policy how nodes are scored
 * @param schedulerLease the Lease by which the replicas of the scheduler elect their leader, which places pods
 * @param operations address of health and metrics, without TLS; empty to serve neither
 * @param namespace Trainyard's own namespace
 */
public record ExtenderOptions(
        ListenAddress listen,
        TlsSource tls,
        Optional<Path> schedulerTls,
        Optional<Path> kubeconfig,
        Optional<Path> resources,
        Optional<URI> scalerUrl,
        PolicyName policy,
        LeaseName schedulerLease,
        Optional<ListenAddress> operations,
        String namespace) {

    public ExtenderOptions {
        if (kubeconfig.isPresent() && resources.isPresent()) {
            throw new IllegalArgumentException(
                    "a kubeconfig and resource files were both given; expected only one of them");
        }
        scalerUrl.ifPresent(url -> {
            if (!"https".equals(url.getScheme()) || url.getHost() == null) {
                throw new IllegalArgumentException(
                        "scaler URL '%s' is not an HTTPS URL with a host; expected a URL such as https://trainyard-scaler.trainyard-system.svc:8445"
                                .formatted(url));
            }
        });
    }

    /** Returns options for 127.0.0.1 and the port in the scheduler's configuration, with the defaults of all other options. */
    public static ExtenderOptions withTls(Path tlsDirectory) {
        return new ExtenderOptions(
                new ListenAddress("127.0.0.1", 8444),
                TlsSource.directory(tlsDirectory),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                PolicyName.FRAGMENTATION,
                LeaseName.DEFAULT,
                Optional.empty(),
                Names.NAMESPACE);
    }

    public ExtenderOptions withListen(ListenAddress listen) {
        return with(changes -> changes.listen = listen);
    }

    public ExtenderOptions withTlsFrom(TlsSource tls) {
        return with(changes -> changes.tls = tls);
    }

    public ExtenderOptions withSchedulerTls(Path directory) {
        return with(changes -> changes.schedulerTls = Optional.of(directory));
    }

    public ExtenderOptions withKubeconfig(Path kubeconfig) {
        return with(changes -> changes.kubeconfig = Optional.of(kubeconfig));
    }

    public ExtenderOptions withResources(Path resources) {
        return with(changes -> changes.resources = Optional.of(resources));
    }

    public ExtenderOptions withScalerUrl(URI scalerUrl) {
        return with(changes -> changes.scalerUrl = Optional.of(scalerUrl));
    }

    public ExtenderOptions withPolicy(PolicyName policy) {
        return with(changes -> changes.policy = policy);
    }

    public ExtenderOptions withSchedulerLease(LeaseName schedulerLease) {
        return with(changes -> changes.schedulerLease = schedulerLease);
    }

    public ExtenderOptions withOperations(ListenAddress operations) {
        return with(changes -> changes.operations = Optional.of(operations));
    }

    private ExtenderOptions with(Consumer<Changes> change) {
        var changes = new Changes(this);
        change.accept(changes);
        return new ExtenderOptions(
                changes.listen,
                changes.tls,
                changes.schedulerTls,
                changes.kubeconfig,
                changes.resources,
                changes.scalerUrl,
                changes.policy,
                changes.schedulerLease,
                changes.operations,
                namespace);
    }

    /** A mutable copy of the options, in which one member is changed. */
    private static final class Changes {
        private ListenAddress listen;
        private TlsSource tls;
        private Optional<Path> schedulerTls;
        private Optional<Path> kubeconfig;
        private Optional<Path> resources;
        private Optional<URI> scalerUrl;
        private PolicyName policy;
        private LeaseName schedulerLease;
        private Optional<ListenAddress> operations;

        Changes(ExtenderOptions from) {
            listen = from.listen;
            tls = from.tls;
            schedulerTls = from.schedulerTls;
            kubeconfig = from.kubeconfig;
            resources = from.resources;
            scalerUrl = from.scalerUrl;
            policy = from.policy;
            schedulerLease = from.schedulerLease;
            operations = from.operations;
        }
    }
}
