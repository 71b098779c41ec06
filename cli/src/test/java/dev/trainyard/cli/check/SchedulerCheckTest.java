package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.Finding.Level;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the check of a running scheduler, by its Lease and by its conditions on pods. */
class SchedulerCheckTest {

    private static final Instant NOW = CheckFixture.NOW;

    private final CheckFixture world = new CheckFixture();

    @Test
    void aLeaseThatWasJustGivenUpIsNeitherALeaderNorADeadScheduler() {
        world.lease = Optional.of(givenUp(NOW.minusSeconds(5)));
        assertThat(world.trouble().toString())
                .startsWith(
                        "warning  scheduler: Lease trainyard-system/trainyard-scheduler was released 5 s ago by a holder that ended normally, and no replica has acquired it since (Lease trainyard-system/trainyard-scheduler spec.holderIdentity = (nothing), expected the scheduler that leads); check again in a minute");
    }

    @Test
    void aLeaseThatNobodyTookForLongMeansThatNoSchedulerRuns() {
        world.lease = Optional.of(givenUp(NOW.minusSeconds(300)));
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    scheduler: Lease trainyard-system/trainyard-scheduler was released 300 s ago by a holder that ended normally, and no replica has acquired it since: no trainyard-scheduler runs (")
                .doesNotContain("null");
    }

    @Test
    void aLeaseThatIsLeftOverDoesNotHideASchedulerWithoutElection() {
        world.lease = Optional.of(givenUp(NOW.minusSeconds(3_000)));
        world.pods = ReadResult.of(List.of(judged("a", NOW.minusSeconds(10))));
        assertThat(world.trouble().level()).isEqualTo(Level.NOTE);
        assertThat(world.trouble().seen())
                .isEqualTo(
                        "Lease trainyard-system/trainyard-scheduler is left over, although pods of trainyard-scheduler were processed: the scheduler runs without leader election");

        world.pods = ReadResult.of(List.of(judged("a", NOW.minusSeconds(3_010))));
        assertThat(world.errors()).hasSize(1);
    }

    @Test
    void whatTheApiServerSaysOfPodsWithSchedulingGatesIsNoSchedulersWord() {
        world.pods = ReadResult.of(List.of(gated("a")));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));

        world.lease = Optional.empty();
        assertThat(world.findings())
                .anyMatch(finding -> finding.startsWith("error    scheduler: there is no Lease"))
                .anyMatch(finding -> finding.startsWith("ok       pods that no scheduler has looked at: "));

        var released = gated("b");
        released.getSpec().setSchedulingGates(List.of());
        world.pods = ReadResult.of(List.of(released));
        assertThat(world.errors())
                .anyMatch(finding -> finding.startsWith("error    pods that no scheduler has looked at: 1 (team/b)"));
    }

    @Test
    void withoutALeaseAndWithoutPodsItCannotBeToldWhetherASchedulerWithoutElectionRuns() {
        world.lease = Optional.empty();
        world.extender = ReadResult.of(Optional.of(CheckFixture.lease(NOW.minusSeconds(20))));
        assertThat(world.errors()).as("it is to run here").hasSize(1);

        world.deployments.get(1).getSpec().setReplicas(0);
        assertThat(world.errors()).isEmpty();
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.startsWith(
                                "warning  scheduler: there is no Lease trainyard-system/trainyard-scheduler, and no pod of trainyard-scheduler shows whether a scheduler runs; a scheduler without leader election has no Lease; check again while a pod that names the scheduler is pending"));

        world.pods = ReadResult.of(List.of(CheckFixture.pod("old", "2026-03-01T11:58:00Z")));
        assertThat(world.errors()).hasSize(2);
        world.pods = ReadResult.of(List.of());
        world.extender = ReadResult.of(Optional.empty());
        assertThat(world.errors()).hasSize(1);
    }

    private static Lease givenUp(Instant at) {
        return new LeaseBuilder(CheckFixture.lease(at))
                .editSpec()
                .withHolderIdentity("")
                .withLeaseDurationSeconds(1)
                .endSpec()
                .build();
    }

    private static Pod judged(String name, Instant at) {
        var pod = CheckFixture.waiting(name, "0/1 nodes are available: 1 Insufficient cpu.");
        pod.getStatus().getConditions().get(0).setLastTransitionTime(at.toString());
        return pod;
    }

    /** Returns a pod with a scheduling gate, as the API server creates it. */
    private static Pod gated(String name) {
        return new PodBuilder(CheckFixture.waiting(name, "Scheduling is blocked due to non-empty scheduling gates"))
                .editSpec()
                .addNewSchedulingGate("example.com/quota")
                .endSpec()
                .editStatus()
                .editFirstCondition()
                .withReason("SchedulingGated")
                .endCondition()
                .endStatus()
                .build();
    }
}
