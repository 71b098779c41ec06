package dev.trainyard.scaler.report;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.Machine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The log of the old autoscalers: phases, counters, and their order. */
class PhaseLogTest {

    private final List<String> lines = new ArrayList<>();
    private final PhaseLog phases = new PhaseLog((news, text) -> lines.add((news ? "INFO  " : "DEBUG ") + text.get()));

    /** The example of the articles: nothing to schedule, one node, nothing pending. */
    private final SnapshotFixture idle = new SnapshotFixture()
            .pool("agentpool1", onDemand(0))
            .tier("any", "agentpool1")
            .node("k8s-agentpool1-1", "agentpool1")
            .cloud(
                    "agentpool1",
                    1,
                    SnapshotFixture.machine("agentpool1", "k8s-agentpool1-1", State.RUNNING, Objects.NOON))
            .running("tiller", "k8s-agentpool1-1", "cpu", "5");

    /** Two pools of one machine each, both full, and a pod that requests a GPU. */
    private final SnapshotFixture full = new SnapshotFixture()
            .pool("agentpool1", onDemand(0))
            .pool("agentpool2", spot(1))
            .tier("gpu", "agentpool2")
            .node("k8s-agentpool1-1", "agentpool1")
            .node("k8s-agentpool2-1", "agentpool2")
            .cloud(
                    "agentpool1",
                    1,
                    SnapshotFixture.machine("agentpool1", "k8s-agentpool1-1", State.RUNNING, Objects.NOON))
            .cloud(
                    "agentpool2",
                    1,
                    SnapshotFixture.machine("agentpool2", "k8s-agentpool2-1", State.RUNNING, Objects.NOON))
            .running("cpu-job", "k8s-agentpool1-1", "cpu", "6")
            .running("gpu-job", "k8s-agentpool2-1", "cpu", "6", "nvidia.com/gpu", "1")
            .waiting(1, "second", "gpu", "nvidia.com/gpu", "1");

    @Test
    void anIdleRoundHasTheCountersOfTheSample() {
        round(idle);
        assertThat(withoutReasons()).isEqualTo("""
                DEBUG Running Scaling Loop
                DEBUG Pods to schedule: 0
                DEBUG Scaling Up Begins
                DEBUG Nodes: 1
                DEBUG To schedule: 0
                DEBUG Pending pods: 0
                DEBUG Scaling Up Ends
                INFO  Maintenance Begins
                INFO  Maintaining Nodes
                INFO  node: k8s-agentpool1-1                         state: busy
                INFO  Maintenance Ends""");
    }

    @Test
    void aRoundThatScalesSaysWhatItRequests() {
        round(full);
        assertThat(withoutReasons()).isEqualTo("""
                INFO  Running Scaling Loop
                INFO  Pods to schedule: 1
                INFO  Scaling Up Begins
                INFO  Nodes: 2
                INFO  To schedule: 1
                INFO  Pending pods: 1
                INFO  Scaling for 1 pods
                INFO  New capacity requested for pool agentpool2: 2 agents (current capacity: 1 agents), \
                units_needed: 1, units_requested: 1, for tier gpu
                INFO  Scaling Up Ends
                INFO  Maintenance Begins
                INFO  Maintaining Nodes
                INFO  node: k8s-agentpool1-1                         state: busy
                INFO  node: k8s-agentpool2-1                         state: busy
                INFO  Maintenance Ends""");
        assertThat(lines).filteredOn(line -> line.contains("state: ")).allMatch(line -> line.matches(".*busy: .+"));
    }

    @Test
    void aClusterAtRestIsNoNews() {
        round(idle);
        lines.clear();
        round(idle);
        assertThat(lines).hasSize(11).allMatch(line -> line.startsWith("DEBUG "));
    }

    @Test
    void whatIsNeededAndWhatIsRequestedDifferWhereTheMaximumIsInTheWay() {
        full.pool("agentpool2", spot(1).max(3))
                .cloud(
                        "agentpool2",
                        1,
                        SnapshotFixture.machine("agentpool2", "k8s-agentpool2-1", State.RUNNING, Objects.NOON))
                .waiting(9, "more", "gpu", "nvidia.com/gpu", "1");
        round(full);
        assertThat(lines).anyMatch(line -> line.contains("units_needed: 10, units_requested: 2"));
    }

    @Test
    void aRestartInALargeClusterNamesSomeNodesAndCountsTheRest() {
        var large = new SnapshotFixture().pool("p", onDemand(0)).tier("any", "p");
        for (int i = 0; i < 100; i++) {
            large.node("n" + i, "p");
        }
        round(large);
        assertThat(lines).filteredOn(line -> line.startsWith("INFO  node:")).hasSize(PhaseLog.NODES_NAMED);
        assertThat(lines).anyMatch(line -> line.startsWith("INFO  and 75 other nodes: 75 "));
    }

    private void round(SnapshotFixture testCluster) {
        var snapshot = testCluster.snapshot();
        Plan plan = Planner.plan(snapshot);
        phases.scalingUpBegins(snapshot, plan);
        plan.growths().forEach(growth -> lines.add("INFO  " + PhaseLog.requested(growth)));
        phases.scalingUpEnds();
        phases.maintenanceBegins(Lifecycle.judge(snapshot, plan.reserved()));
        phases.maintenanceEnds();
    }

    private String withoutReasons() {
        return lines.stream()
                .map(line -> line.replaceAll("(state: [a-z-]+): .*", "$1"))
                .collect(Collectors.joining("\n"));
    }
}
