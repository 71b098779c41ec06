package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.cli.check.ClusterSnapshot.Admission;
import dev.trainyard.cli.check.ClusterSnapshot.Configuration;
import dev.trainyard.cli.check.ClusterSnapshot.Confinement;
import dev.trainyard.cli.check.ClusterSnapshot.Installation;
import dev.trainyard.cli.check.ClusterSnapshot.SchedulerFile;
import dev.trainyard.cli.check.ClusterSnapshot.Scheduling;
import dev.trainyard.cli.check.Finding.Level;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A fixture of a healthy cluster as the checks see it, in which a test then breaks something. */
final class CheckFixture {

    static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    CheckedInstallation setting = usual();
    String server = "v1.36.3";
    List<CustomResourceDefinition> definitions = new ArrayList<>(List.of(
            definition("base/crds/trainingpools.yaml"),
            definition("base/crds/trainingtiers.yaml"),
            definition("base/crds/trainingclusters.yaml")));
    ReadResult<List<TrainingPool>> pools = ReadResult.of(List.of(pool("spot", "1")));
    List<TrainingTier> tiers = List.of(tier("light", "spot"));
    List<Node> nodes = new ArrayList<>(List.of(node("a", "")));
    List<Namespace> namespaces = new ArrayList<>(List.of(new NamespaceBuilder()
            .withNewMetadata()
            .withName("team")
            .endMetadata()
            .build()));
    Optional<Lease> lease = Optional.of(lease(NOW.minusSeconds(2)));
    ReadResult<Optional<Lease>> extender = ReadResult.of(Optional.of(lease(NOW.minusSeconds(120))));
    Optional<Lease> scaler = Optional.of(lease(NOW.minusSeconds(2)));
    ReadResult<List<Pod>> pods = ReadResult.of(List.of());
    List<WaitingLine> waiting = List.of();
    List<PoolLine> poolLines = List.of();
    List<MachineLine> machineLines = List.of();
    List<Event> events = List.of();
    String schedulerFile = shippedSchedulerFile("base/extender/scheduler-config.yaml");
    MutatingWebhookConfiguration registration =
            BundledManifests.object("base/webhook/webhook-configuration.yaml", MutatingWebhookConfiguration.class);
    List<DryRunPod> trials =
            List.of(new DryRunPod("light", DryRunPod.Expected.COMPLETED, new DryRunPod.Created("tier light")));
    List<SharedCa> authorities = List.of(authority("trainyard-webhook-ca", NOW));
    List<MountedTls> mounted = List.of();
    ReadResult<List<RightAnswer>> rights = answers(NeededRights.of(setting, true, false));
    List<Deployment> deployments = new ArrayList<>(List.of(
            deployment("trainyard-webhook", "webhook", ""),
            deployment(
                    "trainyard-scheduler",
                    "extender",
                    "--scaler-url=https://trainyard-scaler.trainyard-system.svc:8443"),
            deployment("trainyard-scaler", "scaler", "")));
    List<Service> services = new ArrayList<>(List.of(
            BundledManifests.object("base/webhook/service.yaml", Service.class),
            BundledManifests.object("base/scaler/service.yaml", Service.class)));
    List<EndpointSlice> slices = new ArrayList<>(List.of(slice("trainyard-webhook"), slice("trainyard-scaler")));
    List<RequiredObject> named = List.of();
    List<ValidatingAdmissionPolicy> policies =
            new ArrayList<>(shipped("ValidatingAdmissionPolicy", ValidatingAdmissionPolicy.class));
    List<ValidatingAdmissionPolicyBinding> policyBindings =
            new ArrayList<>(shipped("ValidatingAdmissionPolicyBinding", ValidatingAdmissionPolicyBinding.class));
    List<CloudAnswer> clouds = List.of();
    ReadResult<List<QueueAnswer>> queues = ReadResult.of(List.of());

    CheckFixture() {
        trust(pem(authorities.get(0)));
    }

    /** Returns the description of an installation by the manifests, checked by an executable of version 0.1.0. */
    static CheckedInstallation usual() {
        return CheckedInstallation.of(Names.NAMESPACE, Optional.empty(), "default", "0.1.0");
    }

    ClusterSnapshot seen() {
        return new ClusterSnapshot(
                NOW,
                setting,
                new Configuration(
                        ReadResult.of(definitions),
                        pools,
                        ReadResult.of(tiers),
                        ReadResult.of(nodes),
                        ReadResult.of(namespaces)),
                new Scheduling(
                        ReadResult.of(lease),
                        extender,
                        pods,
                        ReadResult.of(events),
                        ReadResult.of(
                                Optional.of(new SchedulerFile("ConfigMap trainyard-system/config", schedulerFile))),
                        ReadResult.of(new ClusterStatus(NOW.toString(), poolLines, machineLines, waiting, List.of()))),
                new Admission(
                        ReadResult.of(
                                Optional.ofNullable(registration.getMetadata()).map(any -> registration)),
                        trials,
                        ReadResult.of(authorities),
                        ReadResult.of(mounted)),
                new Installation(
                        ReadResult.of(server),
                        ReadResult.of(deployments),
                        ReadResult.of(services),
                        ReadResult.of(slices),
                        ReadResult.of(named),
                        ReadResult.of(scaler)),
                new Confinement(ReadResult.of(policies), ReadResult.of(policyBindings)),
                rights,
                clouds,
                queues);
    }

    List<Finding> all() {
        return Checks.of(seen());
    }

    List<String> findings() {
        return all().stream().map(Finding::toString).toList();
    }

    List<String> errors() {
        return all().stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .map(Finding::toString)
                .toList();
    }

    /** Returns the only finding that is not OK. */
    Finding trouble() {
        var troubles =
                all().stream().filter(finding -> finding.level() != Level.OK).toList();
        if (troubles.size() != 1) {
            throw new AssertionError("expected one trouble, found " + troubles);
        }
        return troubles.get(0);
    }

    /** Puts a CA into every caBundle. */
    void trust(String pem) {
        registration
                .getWebhooks()
                .forEach(webhook -> webhook.getClientConfig()
                        .setCaBundle(Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII))));
    }

    /** Returns the certificates as PEM, as in a Secret. */
    static String pem(SharedCa authority) {
        return authority.certificates().value().flatMap(found -> found).orElseThrow();
    }

    /** Changes the cluster into one where kube-scheduler's plugins alone choose nodes, as its manifests and a former extender leave it. */
    void removeExtender() {
        deployments.set(1, deployment(Names.SCHEDULER, "kube-scheduler", ""));
        schedulerFile = shippedSchedulerFile("components/scheduler-profile-plugins/scheduler-config.yaml");
        extender = ReadResult.of(Optional.of(lease(NOW.minusSeconds(3_000))));
        events = List.of(event("ExtenderTimeout", "a", NOW.minusSeconds(3_000)));
        rights = answers(NeededRights.of(setting, false, false));
    }

    static String shippedSchedulerFile(String file) {
        return Serialization.asYaml(BundledManifests.objects(file).get(0));
    }

    private static ReadResult<List<RightAnswer>> answers(List<Right> rights) {
        return ReadResult.of(rights.stream()
                .map(right -> new RightAnswer(
                        right, "system:serviceaccount:trainyard-system:" + right.serviceAccount(), true))
                .toList());
    }

    private static <T> List<T> shipped(String kind, Class<T> type) {
        return Stream.of(
                        "base/secrets-policy.yaml", "base/extender/nudge-policy.yaml", "base/scaler/notice-policy.yaml")
                .flatMap(file -> BundledManifests.objects(file).stream())
                .filter(object -> object.path("kind").asText().equals(kind))
                .map(object -> new ObjectMapper().convertValue(object, type))
                .toList();
    }

    static CustomResourceDefinition definition(String file) {
        return new CustomResourceDefinitionBuilder(BundledManifests.object(file, CustomResourceDefinition.class))
                .withNewStatus()
                .addNewCondition()
                .withType("Established")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    static SharedCa authority(String secret, Instant made) {
        var pem = CertificateAuthority.create("test", Duration.ofDays(365), Clock.fixed(made, ZoneOffset.UTC))
                .certificatePem();
        return new SharedCa(secret, "trainyard-webhook", true, ReadResult.of(Optional.of(pem)));
    }

    static Deployment deployment(String name, String container, String argument) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("trainyard-system")
                .endMetadata()
                .withNewSpec()
                .withReplicas(2)
                .withNewTemplate()
                .withNewSpec()
                .addNewContainer()
                .withName(container)
                .withImage("registry.example.com:5000/trainyard:0.1.0")
                .withArgs(argument.isEmpty() ? List.of(container) : List.of(container, argument))
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .withNewStatus()
                .withReadyReplicas(2)
                .endStatus()
                .build();
    }

    static EndpointSlice slice(String service) {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(service + "-x")
                .withLabels(Map.of("kubernetes.io/service-name", service))
                .endMetadata()
                .addNewPort()
                .withName("https")
                .withPort(8443)
                .endPort()
                .addNewEndpoint()
                .withAddresses("10.0.0.1")
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .build();
    }

    static Lease lease(Instant renewed) {
        return new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity("scheduler-0_5f3c")
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    static Pod pod(String name, String created) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("team")
                .withCreationTimestamp(created)
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
    }

    static Pod waiting(String name, String message) {
        return new PodBuilder(pod(name, "2026-03-01T11:00:00Z"))
                .withNewStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withMessage(message)
                .endCondition()
                .endStatus()
                .build();
    }

    static Event event(String reason, String pod, Instant at) {
        return new EventBuilder()
                .withReason(reason)
                .withEventTime(new MicroTime(at.toString()))
                .withNote("refused")
                .withNewRegarding()
                .withNamespace("team")
                .withName(pod)
                .endRegarding()
                .build();
    }

    static TrainingPool pool(String name, String gpus) {
        return pool(name, gpus, "{target: 0}");
    }

    static TrainingPool pool(String name, String gpus, String status) {
        return Serialization.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: spot
                  promise:
                    labels: {gpu: "true"}
                    taints: [{key: gpu, value: "true", effect: NoSchedule}]
                    allocatable: {cpu: "4", memory: 16Gi, nvidia.com/gpu: "%s"}
                status: %s
                """.formatted(name, gpus, status), TrainingPool.class);
    }

    static TrainingTier tier(String name, String pool) {
        return Serialization.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s]}
                """.formatted(name, pool), TrainingTier.class);
    }

    /** Returns a node of pool {@code spot} that matches the promise, except for {@code change}, such as {@code old text -> new text}. */
    static Node node(String name, String change) {
        var text = """
                apiVersion: v1
                kind: Node
                metadata:
                  name: %s
                  creationTimestamp: "2026-03-01T10:00:00Z"
                  labels: {trainyard.dev/pool: spot, gpu: "true"}
                spec:
                  taints: [{key: gpu, value: "true", effect: NoSchedule}]
                status:
                  conditions: [{type: Ready, status: "True"}]
                  allocatable: {cpu: "4", memory: 16Gi, nvidia.com/gpu: "1", pods: "110"}
                """.formatted(name);
        var words = change.isEmpty() ? new String[] {"", ""} : change.split(" -> ", -1);
        return Serialization.unmarshal(change.isEmpty() ? text : text.replace(words[0], words[1]), Node.class);
    }
}
