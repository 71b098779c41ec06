package dev.trainyard.cli.check;

import dev.trainyard.cli.check.ClusterSnapshot.Admission;
import dev.trainyard.cli.check.ClusterSnapshot.Configuration;
import dev.trainyard.cli.check.ClusterSnapshot.Confinement;
import dev.trainyard.cli.check.ClusterSnapshot.Installation;
import dev.trainyard.cli.check.ClusterSnapshot.SchedulerFile;
import dev.trainyard.cli.check.ClusterSnapshot.Scheduling;
import dev.trainyard.core.Names;
import dev.trainyard.extender.calls.CallReport;
import dev.trainyard.extender.calls.Heartbeat;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.extender.report.ReportProblemPublisher;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.offline.ClusterStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A reader of all objects that the checks need. An object that cannot be read becomes a {@link ReadResult} with a problem. The whole
 * reading fails only if the cluster cannot be reached, or rejects the credentials.
 */
public final class ClusterReader {

    private final KubernetesClient client;
    private final CheckedInstallation setting;
    private final Clock clock;
    private final Duration timeout;
    private final CloudReader clouds;
    private final Function<Instant, ClusterStatus> status;

    /**
     * @param timeout the timeout of each read
     * @param clouds reads the clouds of the pools
     * @param status reads the status that {@code trainyard status} prints
     */
    public ClusterReader(
            KubernetesClient client,
            CheckedInstallation setting,
            Clock clock,
            Duration timeout,
            CloudReader clouds,
            Function<Instant, ClusterStatus> status) {
        this.client = client;
        this.setting = setting;
        this.clock = clock;
        this.timeout = timeout;
        this.clouds = clouds;
        this.status = status;
    }

    /** @throws KubernetesClientException if the cluster cannot be reached, or rejects the credentials */
    ClusterSnapshot read() {
        try (var probes = new Probes(timeout)) {
            var server = server();
            var pools = probes.start(
                    () -> client.resources(TrainingPool.class).list().getItems());
            var tiers = probes.start(
                    () -> client.resources(TrainingTier.class).list().getItems());
            var deployments = probes.start(this::deployments);
            var services = probes.start(() ->
                    client.services().inNamespace(setting.namespace()).list().getItems());
            // All reads start before any result is awaited. Only the server's version was read before.
            var rights = RightsReader.start(client, setting, probes, deployments, pools);
            var asked = clouds.start(probes, pools, tiers);
            var queues = clouds.startQueues(
                    probes, () -> client.resources(TrainingCluster.class).list().getItems());
            var configuration = configuration(probes, pools, tiers);
            var scheduling = scheduling(probes, deployments);
            var admission = admission(probes, deployments, DryRunPods.start(client, setting, probes, pools, tiers));
            var installation = installation(probes, server, deployments, services);
            var confinement = confinement(probes);
            return new ClusterSnapshot(
                    clock.instant(),
                    setting,
                    configuration.get(),
                    scheduling.get(),
                    admission.get(),
                    installation.get(),
                    confinement.get(),
                    rights.join(),
                    asked.join(),
                    queues.join());
        }
    }

    /** Returns the API server's version; fails if the server cannot be reached, or rejects the credentials. */
    private ReadResult<String> server() {
        try {
            var version = client.getKubernetesVersion().getGitVersion(); // often readable without credentials
            requireCredentials();
            return ReadResult.of(version);
        } catch (KubernetesClientException e) {
            if (!ClusterErrors.isAnswer(e)) {
                throw e;
            }
            return ReadResult.unread(ClusterErrors.problem(e));
        }
    }

    /**
     * Fails if the request is anonymous, such as after a failed credential plugin. All checks would then report missing rights, which say
     * nothing about the cluster.
     */
    private void requireCredentials() {
        try {
            client.authentication().v1().selfSubjectReviews().create(new SelfSubjectReview());
        } catch (KubernetesClientException e) {
            if (ClusterErrors.message(e).contains("User \"system:anonymous\"")) {
                throw new KubernetesClientException(
                        ClusterErrors.message(e), HttpURLConnection.HTTP_UNAUTHORIZED, e.getStatus());
            }
        }
    }

    private Supplier<Configuration> configuration(
            Probes probes,
            CompletableFuture<ReadResult<List<TrainingPool>>> pools,
            CompletableFuture<ReadResult<List<TrainingTier>>> tiers) {
        var definitions = probes.start(this::definitions);
        var nodes = probes.start(() -> client.nodes().list().getItems());
        var namespaces = probes.start(() -> client.namespaces().list().getItems());
        return () -> new Configuration(definitions.join(), pools.join(), tiers.join(), nodes.join(), namespaces.join());
    }

    private Supplier<Scheduling> scheduling(
            Probes probes, CompletableFuture<ReadResult<List<Deployment>>> deployments) {
        var lease = probes.start(() -> lease(setting.schedulerLease()));
        var extender = probes.start(() -> lease(Heartbeat.beside(setting.schedulerLease())));
        var pods = probes.start(() -> client.pods()
                .inAnyNamespace()
                .withField("spec.schedulerName", Names.SCHEDULER)
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed")
                .list()
                .getItems());
        var events =
                probes.start(() -> Stream.of(CallReport.NOT_ASKED, CallReport.TIMEOUT, ReportProblemPublisher.REASON)
                        .flatMap(reason -> events(reason).stream())
                        .toList());
        var file = probes.after(deployments, this::schedulerFile);
        var standing = probes.start(() -> status.apply(clock.instant()));
        return () ->
                new Scheduling(lease.join(), extender.join(), pods.join(), events.join(), file.join(), standing.join());
    }

    private Supplier<Admission> admission(
            Probes probes,
            CompletableFuture<ReadResult<List<Deployment>>> deployments,
            CompletableFuture<List<DryRunPod>> trials) {
        var registration = probes.start(() -> Optional.ofNullable(client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(RegistrationCheck.NAME)
                .get()));
        var authorities = probes.after(deployments, this::authorities);
        var mounted = probes.after(deployments, new MountedTlsReader(client, setting)::read);
        return () -> new Admission(registration.join(), trials.join(), authorities.join(), mounted.join());
    }

    private Supplier<Installation> installation(
            Probes probes,
            ReadResult<String> server,
            CompletableFuture<ReadResult<List<Deployment>>> deployments,
            CompletableFuture<ReadResult<List<Service>>> services) {
        var slices = probes.start(() -> client.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(setting.namespace())
                .list()
                .getItems());
        var named = probes.after(deployments, new RequiredObjectReader(client, setting)::read);
        var scaler = probes.start(() -> lease(setting.scalerLease()));
        return () -> new Installation(
                server, deployments.join(), services.join(), slices.join(), named.join(), scaler.join());
    }

    private Supplier<Confinement> confinement(Probes probes) {
        var registered = client.admissionRegistration().v1();
        var policies = probes.start(() -> PoliciesCheck.NAMES.stream()
                .map(name ->
                        registered.validatingAdmissionPolicies().withName(name).get())
                .filter(Objects::nonNull)
                .toList());
        var bindings = probes.start(() -> PoliciesCheck.NAMES.stream()
                .map(name -> registered
                        .validatingAdmissionPolicyBindings()
                        .withName(name)
                        .get())
                .filter(Objects::nonNull)
                .toList());
        return () -> new Confinement(policies.join(), bindings.join());
    }

    private List<CustomResourceDefinition> definitions() {
        var definitions = client.apiextensions().v1().customResourceDefinitions();
        return DefinitionsCheck.NAMES.stream()
                .map(name -> definitions.withName(name).get())
                .filter(Objects::nonNull)
                .toList();
    }

    private List<Deployment> deployments() {
        return client.apps()
                .deployments()
                .inNamespace(setting.namespace())
                .withLabel("app.kubernetes.io/name", "trainyard")
                .list()
                .getItems();
    }

    /** Returns the file in the ConfigMap that the pods of Trainyard's kube-scheduler mount; empty if there is none. */
    private Optional<SchedulerFile> schedulerFile(ReadResult<List<Deployment>> deployments) {
        return deployments.value().orElse(List.of()).stream()
                .filter(deployment -> deployment.getMetadata().getName().equals(Names.SCHEDULER))
                .flatMap(
                        deployment -> Optional.ofNullable(
                                deployment.getSpec().getTemplate().getSpec().getVolumes())
                                .orElse(List.of())
                                .stream())
                .filter(volume -> volume.getConfigMap() != null)
                .map(volume -> volume.getConfigMap().getName())
                .findFirst()
                .flatMap(name -> Optional.ofNullable(client.configMaps()
                        .inNamespace(setting.namespace())
                        .withName(name)
                        .get()))
                .flatMap(map -> Optional.ofNullable(map.getData())
                        .map(data -> data.get("scheduler-config.yaml"))
                        .map(yaml -> new SchedulerFile(
                                "ConfigMap %s/%s"
                                        .formatted(
                                                setting.namespace(),
                                                map.getMetadata().getName()),
                                yaml)));
    }

    /** Returns the CAs in the Secrets of {@code --tls-secret}, without private keys. */
    private List<SharedCa> authorities(ReadResult<List<Deployment>> deployments) {
        var users = new TreeMap<String, List<Deployment>>();
        deployments
                .value()
                .orElse(List.of())
                .forEach(deployment -> ComponentDeployments.flag(deployment, "--tls-secret")
                        .ifPresent(secret -> users.computeIfAbsent(secret, any -> new ArrayList<>())
                                .add(deployment)));
        var authorities = new ArrayList<SharedCa>();
        users.forEach((secret, parts) -> authorities.add(new SharedCa(
                secret,
                parts.stream().map(part -> part.getMetadata().getName()).collect(Collectors.joining(", ")),
                parts.stream().anyMatch(part -> ComponentDeployments.wanted(part) > 0),
                certificates(secret))));
        return authorities;
    }

    private ReadResult<Optional<String>> certificates(String secret) {
        try {
            var found = client.secrets()
                    .inNamespace(setting.namespace())
                    .withName(secret)
                    .get();
            return ReadResult.of(Optional.ofNullable(found)
                    .map(one -> new String(
                            Base64.getDecoder()
                                    .decode(Optional.ofNullable(one.getData())
                                            .orElse(Map.of())
                                            .getOrDefault("ca.crt", "")),
                            StandardCharsets.ISO_8859_1)));
        } catch (KubernetesClientException e) {
            return ReadResult.unread(ClusterErrors.problem(e));
        }
    }

    private Optional<Lease> lease(LeaseName name) {
        return Optional.ofNullable(client.leases()
                .inNamespace(name.namespace())
                .withName(name.name())
                .get());
    }

    private List<Event> events(String reason) {
        return client.events()
                .v1()
                .events()
                .inAnyNamespace()
                .withField("reason", reason)
                .list()
                .getItems();
    }
}
