package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.Taint;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.Debt;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.DisruptionBudget;
import dev.trainyard.scaler.observe.Unreadable;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotReaderTest {

    private final SnapshotFixture testCluster = new SnapshotFixture()
            .pool("good", onDemand(1))
            .tier("good", "good")
            .waiting(1, "train", "good", "nvidia.com/gpu", "1");

    @Test
    void aPodWithoutATimeIsReportedAndStopsNoOther() {
        testCluster.waiting(1, "odd", "good", "nvidia.com/gpu", "1");
        testCluster.pods.get(1).getMetadata().setCreationTimestamp(null);

        assertThat(testCluster.snapshot().unreadable())
                .extracting(Unreadable::name)
                .containsExactly("odd-1");
        goesOn();
    }

    @Test
    void aNodeWithoutATimeStaysAndIsReported() {
        testCluster.node("odd", "good").nodes.get(0).getMetadata().setCreationTimestamp(null);

        assertThat(testCluster.snapshot().nodes().get(0).exempt()).isPresent();
        assertThat(testCluster.snapshot().unreadable())
                .extracting(Unreadable::name)
                .containsExactly("odd");
        goesOn();
    }

    @Test
    void aPoolWhoseTimeoutIsBeyondAllTimeStopsNoOther() {
        testCluster
                .pool("odd", spot(1).provisionTimeout("99999999999999h"))
                .cloud(
                        "odd",
                        2,
                        SnapshotFixture.machine("odd", "m1", State.RUNNING, Objects.NOON),
                        SnapshotFixture.machine("odd", "m2", State.CREATING, Objects.NOON));
        goesOn();
    }

    @Test
    void aPoolThatCannotBeReckonedWithCountsAsUnread() {
        testCluster.pool("odd", spot(1));
        var ancient = new BackOff(Instant.MIN, FailureKind.THROTTLED, "throttled", 1);
        testCluster.ledgers.put(
                "odd", new PoolLedger(Optional.of(ancient), Instant.EPOCH, Debt.NONE, Optional.empty(), 0));

        assertThat(testCluster.snapshot().pools().get("odd").problem().orElse(""))
                .contains("cannot be evaluated");
        goesOn();
    }

    private void goesOn() {
        assertThat(Planner.plan(testCluster.snapshot()).growths())
                .extracting(growth -> growth.pool().name())
                .containsExactly("good");
    }

    @Test
    void aDaemonSetsPodIsReadWithTheTolerationsThatItWillBeGiven() {
        testCluster.daemonSet("driver", Map.of(), "100m");

        var daemon = testCluster.snapshot().daemons().get(0);

        assertThat(daemon).hasToString("kube-system/driver");
        assertThat(daemon.shape().requests().get("cpu")).isEqualTo(100);
        assertThat(daemon.shape().tolerations())
                .anyMatch(toleration ->
                        toleration.tolerates(new Taint("node.kubernetes.io/not-ready", null, Taint.NO_EXECUTE)));
    }

    @Test
    void aDisruptionBudgetProtectsThePodsThatItSelects() {
        testCluster
                .node("n1", "good")
                .running("mine", "n1", "nvidia.com/gpu", "1")
                .running("other", "n1", "nvidia.com/gpu", "1");
        testCluster.pods.get(1).getMetadata().setLabels(Map.of("app", "mine"));
        testCluster.budgets.add(budget(new LabelSelectorBuilder()
                        .addToMatchLabels("app", "mine")
                        .build())
                .editOrNewStatus()
                .withDisruptionsAllowed(2)
                .endStatus()
                .build());

        assertThat(testCluster.snapshot().budgets())
                .containsExactly(new DisruptionBudget(
                        "team",
                        "few",
                        Set.of(testCluster.pods.get(1).getMetadata().getUid()),
                        Set.of(),
                        2));
    }

    /** The rules of Kubernetes' eviction API. A budget that needs no healthy pod does not let others go. */
    @ParameterizedTest
    @CsvSource({
        "AlwaysAllow, False, 0, 2, true",
        "AlwaysAllow, True, 0, 2, false",
        "IfHealthyBudget, False, 2, 2, true",
        "IfHealthyBudget, False, 1, 2, false",
        "IfHealthyBudget, True, 2, 2, false",
        "IfHealthyBudget, False, 0, 0, false",
        ", False, 2, 2, true",
        ", False, 1, 2, false",
    })
    void aDisruptionBudgetDoesNotGuardAllPodsThatAreNotReady(
            String policy, String ready, int healthy, int desired, boolean goes) {
        testCluster.node("n1", "good").running("mine", "n1", "nvidia.com/gpu", "1");
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build());
        testCluster.budgets.add(budget(new LabelSelector())
                .editSpec()
                .withUnhealthyPodEvictionPolicy(policy)
                .endSpec()
                .withNewStatus()
                .withDisruptionsAllowed(0)
                .withCurrentHealthy(healthy)
                .withDesiredHealthy(desired)
                .endStatus()
                .build());

        assertThat(DisruptionBudget.refused(testCluster.snapshot().budgets()).isEmpty())
                .isEqualTo(goes);
    }

    @Test
    void aDisruptionBudgetThatCannotBeReadProtectsAllPodsOfItsNamespace() {
        testCluster.node("n1", "good").running("mine", "n1", "nvidia.com/gpu", "1");
        testCluster.budgets.add(budget(new LabelSelectorBuilder()
                        .addNewMatchExpression()
                        .withOperator("In")
                        .endMatchExpression()
                        .build())
                .build());

        assertThat(testCluster.snapshot().budgets().get(0).pods()).hasSize(1);
        assertThat(testCluster.snapshot().budgets().get(0).allowed()).isZero();
        assertThat(testCluster.snapshot().unreadable())
                .extracting(Unreadable::name)
                .containsExactly("few");
        goesOn();
    }

    private static PodDisruptionBudgetBuilder budget(LabelSelector selector) {
        return new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName("few")
                .endMetadata()
                .withNewSpec()
                .withSelector(selector)
                .endSpec();
    }
}
