package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.trainyard.scaler.Logged;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.observe.Significance;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules for the scaler's operation that follow from mistakes of the old autoscalers. */
class OperationRulesTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root", ".."));

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void rule12_aPodIsToldOfAMachineOnlyWhenItsCloudHasAcceptedTheOrder() {
        world.cloud.refusing.put("light-spot", FailureKind.QUOTA);
        world.cloud.refusing.put("light-ondemand", FailureKind.QUOTA);
        burst(1);
        world.second();
        assertThat(world.eventsOf("train-1"))
                .isNotEmpty()
                .noneMatch(event -> event.contains(" ScaleUp: ") || event.contains(" Fallback: "));

        world.cloud.refusing.remove("light-ondemand");
        world.seconds(5 * 60);
        assertThat(world.eventsOf("train-1")).anyMatch(event -> event.contains("pool light-ondemand grows"));
    }

    @Test
    void rule13_aBackOffStandsInTheStatusWithItsReasonAndEndAndOutlivesARestart() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.seconds(3);
        var backOff = world.cluster.pools.get("light-spot").getStatus().backOff();
        assertThat(backOff.kind()).isEqualTo("spot-capacity");
        assertThat(backOff.reason()).isNotEmpty();
        int asked = spotOrders();

        world.restart();
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(30);
        assertThat(spotOrders()).isEqualTo(asked);

        world.seconds(60);
        world.waiting(1, "last", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(2);
        assertThat(spotOrders()).isGreaterThan(asked);
    }

    @Test
    void rule18_theSameSizeIsAskedForAgainAfterItFailedButNotWhileItIsComing() {
        burst(3);
        world.seconds(20);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->3");

        var failing = new ScalerFixture().pool("only", spot(1)).tier("t", "only");
        failing.cloud.capacity.put("only", 0);
        failing.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        failing.seconds(2);
        failing.cloud.capacity.clear();
        failing.seconds(70);
        assertThat(failing.cloud.calls)
                .filteredOn(call -> call.equals("grow only 0->1"))
                .hasSize(2);
    }

    @Test
    void rule21_oneOddNodeOrPodStopsNoOther() {
        world.cluster.add(new PodBuilder(Objects.waiting("odd", "light-gpu"))
                .editSpec()
                .editFirstContainer()
                .editResources()
                .withRequests(Map.of("cpu", new Quantity("a lot")))
                .endResources()
                .endContainer()
                .endSpec()
                .build());
        var strange = new NodeBuilder(Objects.node("strange", "somebody-elses", spot(1).spec()))
                .editSpec()
                .withProviderID("k8s-agentpool-without-index")
                .addNewTaint("NoExecute", "valueless", null, null)
                .endSpec()
                .editStatus()
                .withAllocatable(Map.of("cpu", new Quantity("many")))
                .endStatus()
                .build();
        world.cluster.nodes.put("strange", strange);
        burst(1);
        world.round();

        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
        assertThat(world.eventsOf("odd")).anyMatch(event -> event.contains("it cannot be read"));
    }

    /** Such a quantity once took four minutes to read, and no pod got a machine in that time. */
    @Test
    void aPodWithAQuantityOfManyDigitsIsToldOfItsFieldAndDelaysNoOther() {
        world.cluster.add(new PodBuilder(Objects.waiting("odd", "light-gpu"))
                .editSpec()
                .editFirstContainer()
                .editResources()
                .withRequests(Map.of("cpu", new Quantity("9".repeat(600_000))))
                .endResources()
                .endContainer()
                .endSpec()
                .build());
        burst(1);
        assertTimeoutPreemptively(Duration.ofSeconds(30), world::round);

        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
        assertThat(world.eventsOf("odd"))
                .anyMatch(event -> event.contains("NotPlaceable")
                        && event.contains("resources.requests cpu is '99999999999999999999...' (600000 characters)"));
    }

    @Test
    void aNodeWhoseQuantitiesHaveManyDigitsIsComparedByItsText() {
        var node = new NodeBuilder(Objects.node("n", "p", spot(1).spec()))
                .editStatus()
                .withAllocatable(Map.of("cpu", new Quantity("9".repeat(600_000))))
                .endStatus()
                .build();
        var changed = new NodeBuilder(node)
                .editStatus()
                .withAllocatable(Map.of("cpu", new Quantity("8".repeat(600_000))))
                .endStatus()
                .build();
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            assertThat(Significance.changesRoom(node, new NodeBuilder(node).build()))
                    .isFalse();
            assertThat(Significance.changesRoom(node, changed)).isTrue();
        });
    }

    @Test
    void rule22_theScalerHasNoKeysOfTheCluster() throws IOException {
        assertThat(rules().flatMap(rule -> rule.getResources().stream())).doesNotContain("certificatesigningrequests");
        // Its own CA, by which the extender identifies it, is not the cluster's. A role cannot restrict create by name.
        assertThat(rules().filter(rule -> rule.getResources().contains("secrets")))
                .allMatch(rule -> rule.getResourceNames().equals(List.of("trainyard-internal-ca"))
                        || rule.getVerbs().equals(List.of("create")));
    }

    @Test
    void rule23_roundsThatFailAreTriedAgainForEverAtIntervalsThatStopGrowing() throws IOException {
        assertThat(ScalerFixture.pauseAfter(1)).isLessThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(ScalerFixture.pauseAfter(1000)).isLessThanOrEqualTo(Duration.ofMinutes(5));
        // The Lease ensures that only one acts.
        assertThat(rules().flatMap(rule -> rule.getResources().stream())).contains("leases");
    }

    @Test
    void rule24_aPodThatBeginsToWaitWakesTheScalerAndAHeartbeatDoesNot() {
        assertThat(Significance.isDemand(Objects.waiting("pod", "light-gpu"))).isTrue();
        var node = Objects.node("node", "light-spot", spot(1).spec());
        var beating = new NodeBuilder(node)
                .editStatus()
                .editFirstCondition()
                .withLastHeartbeatTime("2026-01-01T12:00:10Z")
                .endCondition()
                .endStatus()
                .build();
        assertThat(Significance.changesRoom(node, beating)).isFalse();
    }

    @Test
    void conditionThatAnnouncesAReclaimWakesTheScaler() {
        var node = new NodeBuilder(Objects.node("node", "light-spot", spot(1).spec()))
                .editStatus()
                .addNewCondition()
                .withType("PreemptionScheduled")
                .withStatus("False")
                .endCondition()
                .endStatus()
                .build();
        var announced = preemption(node, "True", "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.");

        assertThat(Significance.changesRoom(node, announced)).isTrue();
        assertThat(Significance.changesRoom(announced, preemption(announced, "True", "Preempt Started: .")))
                .isTrue();
        assertThat(Significance.changesRoom(node, preemption(node, "False", "nothing is scheduled")))
                .isFalse();
    }

    private static Node preemption(Node node, String status, String message) {
        return new NodeBuilder(node)
                .editStatus()
                .editMatchingCondition(condition -> condition.getType().equals("PreemptionScheduled"))
                .withStatus(status)
                .withMessage(message)
                .endCondition()
                .endStatus()
                .build();
    }

    @Test
    void rule27_whatKeepsAPodWaitingOrANodeFromGoingIsSaidWhereUsersLook() {
        world.waiting(1, "large", "light-gpu", "nvidia.com/gpu", "8");
        world.cluster.add(new PodBuilder(Objects.waiting("bare", "light-gpu", "nvidia.com/gpu", "1"))
                .editMetadata()
                .withOwnerReferences(List.of())
                .endMetadata()
                .build());
        world.seconds(35);

        assertThat(world.eventsOf("large-1")).anyMatch(event -> event.contains("NotPlaceable: asks for"));
        assertThat(world.notices)
                .anyMatch(notice -> notice.startsWith("Cannot be placed: asks for") && notice.endsWith("team/large-1"))
                .anyMatch(notice -> notice.startsWith("Pool light-spot is scaling up by 1 to new capacity 1"));
        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.conditions())
                .extracting(condition -> condition.type())
                .contains("Ready", "Valid");
        assertThat(world.meters
                        .get("trainyard.scaler.waiting.pods")
                        .tag("outcome", "fits-no-pool")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void rule28_aDryRunDecidesTheSameAndDoesNothing() {
        try (var log = new Logged()) {
            world.onlyLook();
            burst(2);
            world.seconds(30);
            assertThat(log.lines())
                    .filteredOn(
                            line -> line.startsWith("[dry run] New capacity requested for pool light-spot: 2 agents"))
                    .hasSize(1);
        }
        assertUntouched();
    }

    @Test
    void rule28_aDryRunSaysWhatItWouldRemoveAndRemovesNothing() {
        burst(1);
        world.seconds(35);
        world.finishAllJobs();
        world.cloud.calls.clear();
        world.cluster.changes.clear();
        world.events.clear();
        world.notices.clear();
        try (var log = new Logged()) {
            world.onlyLook();
            world.seconds(60);
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("[dry run] node light-spot-0001: idle for"))
                    .hasSize(1);
        }
        assertUntouched();
        assertThat(world.nodesOf("light-spot")).isEqualTo(1);
    }

    @Test
    void rule29_theDocumentationNamesEveryMetricThatThereIs() throws IOException {
        burst(1);
        world.seconds(35);
        var reference = Files.readString(ROOT.resolve("docs/reference.md"));
        var meters = world.meters.getMeters().stream()
                .filter(meter -> meter.getId().syntheticAssociation() == null); // not the buckets of histograms
        assertThat(meters).isNotEmpty().allSatisfy(meter -> {
            var suffix = meter instanceof Timer ? "_seconds" : meter instanceof Counter ? "_total" : "";
            assertThat(reference).contains("`" + meter.getId().getName().replace('.', '_') + suffix + "`");
        });
    }

    @Test
    void rule30_theScalerMayDoWhatItMustAndNoMore() throws IOException {
        assertThat(rules()).isNotEmpty().allSatisfy(rule -> {
            assertThat(rule.getResources()).doesNotContain("*");
            assertThat(rule.getVerbs()).doesNotContain("*");
            assertThat(rule.getApiGroups()).doesNotContain("*");
        });
        assertThat(rules().filter(rule -> rule.getResources().contains("pods"))
                        .flatMap(rule -> rule.getVerbs().stream()))
                .as("pods are evicted, never deleted; notice-policy.yaml limits patches to four annotations")
                .containsOnly("get", "list", "watch", "patch");
        assertThat(Files.readString(ROOT.resolve("manifests/base/scaler/notice-policy.yaml")))
                .contains(
                        "object.spec == oldObject.spec",
                        "variables.after[?name] == variables.before[?name] || variables.after[?name].orValue('').size() <= 64",
                        "['trainyard.dev/ends-at', 'trainyard.dev/checkpoint-since', 'trainyard.dev/reclaimed-times', 'trainyard.dev/progress']");
    }

    private void assertUntouched() {
        assertThat(world.cloud.calls).isEmpty();
        assertThat(world.cluster.changes).isEmpty();
        assertThat(world.events).isEmpty();
        assertThat(world.notices).isEmpty();
    }

    private int spotOrders() {
        return (int) world.cloud.calls.stream()
                .filter(call -> call.startsWith("grow light-spot"))
                .count();
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }

    private static Stream<PolicyRule> rules() throws IOException {
        var text = Files.readString(ROOT.resolve("manifests/base/scaler/rbac.yaml"));
        return Stream.of(text.split("(?m)^---$"))
                .filter(document -> document.contains("\nkind: ClusterRole\n") || document.contains("\nkind: Role\n"))
                .flatMap(document -> document.contains("\nkind: ClusterRole\n")
                        ? Serialization.unmarshal(document, ClusterRole.class).getRules().stream()
                        : Serialization.unmarshal(document, Role.class).getRules().stream());
    }
}
