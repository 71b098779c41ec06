package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.Finding.Word;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChecksTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private List<CustomResourceDefinition> definitions = DefinitionsCheck.NAMES.stream()
            .map(name -> definition(name, "True"))
            .toList();
    private Optional<Lease> lease = Optional.of(lease(NOW.minusSeconds(2)));
    private Part<Optional<Lease>> extender = Part.of(Optional.of(lease(NOW.minusSeconds(120))));
    private Part<List<Pod>> pods = Part.of(List.of());
    private List<Event> events = List.of();
    private String caBundle = "Q0E=";
    private Part<List<TrainingPool>> pools = Part.of(List.of(pool("spot", "1")));
    private List<TrainingTier> tiers = List.of(tier("light", "spot"));

    @Test
    void hasNothingToComplainOfInAClusterThatWorks() {
        assertThat(findings()).hasSize(8).allMatch(finding -> finding.startsWith("ok "));
    }

    @Test
    void findsDefinitionsThatAreMissingOrNotServed() {
        definitions = List.of(definition(DefinitionsCheck.NAMES.get(0), "False"));
        assertThat(problems())
                .containsExactly(
                        "problem  definitions: trainingpools.trainyard.dev is not served; see the conditions in 'kubectl describe crd trainingpools.trainyard.dev'",
                        "problem  definitions: trainingtiers.trainyard.dev is not installed; apply manifests/base/crds");
    }

    @Test
    void findsThatNoSchedulerRuns() {
        lease = Optional.of(lease(NOW.minusSeconds(300)));
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("was last renewed 300 s ago, by scheduler-0_5f3c: no trainyard-scheduler runs");

        lease = Optional.empty();
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("there is no Lease trainyard-system/trainyard-scheduler");
    }

    @Test
    void takesASchedulerWithoutElectionForOne() {
        lease = Optional.empty();
        pods = Part.of(List.of(waiting("a", "0/1 nodes are available: 1 Insufficient cpu.")));
        assertThat(problems()).isEmpty();
        assertThat(findings()).anyMatch(finding -> finding.startsWith("warning  scheduler: there is no Lease"));
    }

    @Test
    void findsPodsThatNoSchedulerHasLookedAt() {
        pods = Part.of(List.of(pod("old", "2026-03-01T11:58:00Z"), pod("new", "2026-03-01T11:59:30Z")));
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith(
                        "problem  pods that no scheduler has looked at: 1 (team/old) waited for more than a minute; look whether");
    }

    @Test
    void findsThatTheExtenderIsNotAsked() {
        events = List.of(
                event("ExtenderNotAsked", "a", NOW.minusSeconds(60)),
                event("ExtenderNotAsked", "a", NOW.minusSeconds(30)),
                event("ExtenderNotAsked", "forgotten", NOW.minusSeconds(7_200)),
                event("NoScheduler", "b", NOW.minusSeconds(60)));
        assertThat(problems()).singleElement().asString().contains("without asking the extender: team/a; look");
        assertThat(findings())
                .anyMatch(finding -> finding.contains("no scheduler looked at pods of trainyard-scheduler: team/b;"));
    }

    @Test
    void findsThatNoExtenderRunsAndThenSaysNothingOfItsCalls() {
        pods = Part.of(List.of(waiting("a", "0/1 nodes are available: 1 Insufficient cpu.")));
        extender = Part.of(Optional.of(lease(NOW.minusSeconds(121))));
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith(
                        "problem  extender: Lease trainyard-system/trainyard-extender was last renewed 121 s ago, by")
                .contains("no extender runs, and there are pods of trainyard-scheduler: 1; look whether");
        assertThat(findings()).noneMatch(finding -> finding.contains("calls of the extender"));

        extender = Part.of(Optional.empty());
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("there is no Lease trainyard-system/trainyard-extender: no extender runs");
        events = List.of(event("ExtenderNotAsked", "a", NOW.minusSeconds(60)));
        assertThat(problems()).hasSize(2);
    }

    @Test
    void onlyWarnsThatNoExtenderRunsWhileThereAreNoPodsForIt() {
        extender = Part.of(Optional.empty());
        assertThat(problems()).isEmpty();
        assertThat(findings()).anyMatch(finding -> finding.startsWith("warning  extender: there is no Lease"));
    }

    @Test
    void stillLooksAtCallsWhereTheExtendersLeaseMayNotBeRead() {
        extender = Part.unread("leases is forbidden");
        assertThat(findings())
                .anyMatch(finding -> finding.startsWith("warning  extender: cannot be read"))
                .anyMatch(finding -> finding.startsWith("ok       calls of the extender"));
    }

    @Test
    void countsPodsThatWaitByReasonOfRefusal() {
        var message =
                "0/5 nodes are available: 2 node(s) being removed, 3 node(s) of a pool outside the pod's tier. preemption: 0/5";
        pods = Part.of(List.of(
                waiting("a", message),
                waiting("b", "0/2 nodes are available: 2 node(s) being removed."),
                waiting("c", "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.")));
        assertThat(findings())
                .anyMatch(finding -> finding.startsWith(
                        "warning  refusals of the extender: node(s) being removed: 2 (team/a, team/b);"))
                .anyMatch(finding -> finding.startsWith(
                        "warning  refusals of the extender: node(s) of a pool outside the pod's tier: 1 (team/a);"));
        assertThat(problems()).isEmpty();
    }

    @Test
    void findsAWebhookThatCannotBeCalled() {
        caBundle = "";
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("MutatingWebhookConfiguration 'trainyard' has no caBundle for pods.trainyard.dev");
    }

    @Test
    void findsPoolsAndTiersThatCannotBeUsedAndPoolsThatBackOff() {
        var backsOff = pool("backs-off", "1", """
                {backOff: {until: "2026-03-01T12:05:00Z", kind: quota, reason: over quota, failures: 2}}""");
        pools = Part.of(List.of(pool("spot", "many"), backsOff));
        assertThat(problems())
                .anyMatch(finding -> finding.startsWith("problem  TrainingPool spot: spec.promise.allocatable"))
                .anyMatch(finding -> finding.startsWith("problem  TrainingTier light: spec.pools"));
        assertThat(findings())
                .anyMatch(finding -> finding.startsWith(
                        "warning  TrainingPool backs-off: backs off until 2026-03-01T12:05:00Z: quota"));
    }

    @Test
    void saysWhatItMayNotRead() {
        pods = Part.unread("pods is forbidden");
        pools = Part.unread("trainingpools is forbidden");
        assertThat(findings())
                .filteredOn(finding -> finding.startsWith("warning"))
                .hasSize(2)
                .allMatch(finding -> finding.contains("cannot be read: "));
        assertThat(problems()).isEmpty();
    }

    private List<String> findings() {
        return Checks.of(seen()).stream().map(Finding::toString).toList();
    }

    private List<String> problems() {
        return Checks.of(seen()).stream()
                .filter(finding -> finding.word() == Word.PROBLEM)
                .map(Finding::toString)
                .toList();
    }

    private Seen seen() {
        var registration = new MutatingWebhookConfigurationBuilder()
                .addNewWebhook()
                .withName("pods.trainyard.dev")
                .withNewClientConfig()
                .withCaBundle(caBundle)
                .endClientConfig()
                .endWebhook()
                .build();
        return new Seen(
                NOW,
                Part.of(definitions),
                LeaseName.DEFAULT,
                Part.of(lease),
                extender,
                pods,
                Part.of(events),
                Part.of(Optional.of(registration)),
                pools,
                Part.of(tiers));
    }

    private static CustomResourceDefinition definition(String name, String established) {
        return new CustomResourceDefinitionBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Established")
                .withStatus(established)
                .endCondition()
                .endStatus()
                .build();
    }

    private static Lease lease(Instant renewed) {
        return new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity("scheduler-0_5f3c")
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    private static Pod pod(String name, String created) {
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

    private static Pod waiting(String name, String message) {
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

    private static Event event(String reason, String pod, Instant at) {
        return new EventBuilder()
                .withReason(reason)
                .withEventTime(new MicroTime(at.toString()))
                .withNewRegarding()
                .withNamespace("team")
                .withName(pod)
                .endRegarding()
                .build();
    }

    private static TrainingPool pool(String name, String gpus) {
        return pool(name, gpus, "{target: 0}");
    }

    private static TrainingPool pool(String name, String gpus, String status) {
        return Serialization.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: spot
                  promise: {allocatable: {cpu: "4", memory: 16Gi, nvidia.com/gpu: "%s"}}
                status: %s
                """.formatted(name, gpus, status), TrainingPool.class);
    }

    private static TrainingTier tier(String name, String pool) {
        return Serialization.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s]}
                """.formatted(name, pool), TrainingTier.class);
    }
}
