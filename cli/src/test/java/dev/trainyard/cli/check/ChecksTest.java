package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.Finding.Level;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the checks of pending pods, the scheduler and the extender. */
class ChecksTest {

    private static final Instant NOW = CheckFixture.NOW;

    private final CheckFixture world = new CheckFixture();

    @Test
    void hasNothingToComplainOfInAClusterThatWorks() {
        assertThat(world.findings()).hasSizeGreaterThan(20).allMatch(finding -> finding.startsWith("ok "));
    }

    @Test
    void findsThatNoSchedulerRuns() {
        world.lease = Optional.of(CheckFixture.lease(NOW.minusSeconds(300)));
        assertThat(world.errors())
                .singleElement()
                .asString()
                .contains("was last renewed 300 s ago, by scheduler-0_5f3c: no trainyard-scheduler runs")
                .endsWith("; see docs/troubleshooting.md#no-scheduler");

        world.lease = Optional.empty();
        assertThat(world.errors())
                .singleElement()
                .asString()
                .contains("there is no Lease trainyard-system/trainyard-scheduler");
    }

    @Test
    void takesASchedulerWithoutElectionForOne() {
        world.lease = Optional.empty();
        world.pods = ReadResult.of(List.of(CheckFixture.waiting("a", "0/1 nodes are available: 1 Insufficient cpu.")));
        assertThat(world.errors()).isEmpty();
        assertThat(world.findings()).anyMatch(finding -> finding.startsWith("note     scheduler: there is no Lease"));
    }

    @Test
    void findsPodsThatNoSchedulerHasLookedAt() {
        world.pods = ReadResult.of(List.of(
                CheckFixture.pod("old", "2026-03-01T11:58:00Z"), CheckFixture.pod("new", "2026-03-01T11:59:30Z")));
        assertThat(world.errors())
                .singleElement()
                .asString()
                .startsWith(
                        "error    pods that no scheduler has looked at: 1 (team/old) waited for more than a minute; check that");
    }

    @Test
    void findsPodsThatNobodyServesByReasonWhoeverTheyBelongTo() {
        world.waiting = List.of(
                new WaitingLine("team/launcher", 600, "asks for ephemeral-storage 5Gi", "not-ours", "1"),
                new WaitingLine("team/other", 60, "asks for ephemeral-storage 5Gi", "not-ours", "2"),
                new WaitingLine("team/new", 59, "there is no TrainingTier 'x'", "no-such-tier", "3"),
                new WaitingLine("team/served", 600, "a machine of pool a is provisioning", "upcoming", "4"));

        assertThat(world.trouble().toString())
                .startsWith(
                        "warning  pending pods: 2 (team/launcher, team/other) pending, without a node or an upcoming machine: asks for"
                                + " ephemeral-storage 5Gi; ")
                .doesNotContain("fits-no-pool");

        world.waiting = List.of(new WaitingLine("team/new", 60, "there is no TrainingTier 'x'", "no-such-tier", "3"));
        assertThat(world.trouble().toString()).endsWith("#no-such-tier");
    }

    @Test
    void findsAPoolThatGrowsWhileItsMachinesAreIdleAndPodsWait() {
        world.poolLines = List.of(
                new PoolLine("a", "spot", 0, 9, 3, 2, 1, 2, null, null, null, null),
                new PoolLine("b", "spot", 0, 9, 2, 2, 0, 2, null, null, null, null));
        world.machineLines =
                List.of(idle("a-0", "a", 60), idle("a-1", "a", 61), idle("b-0", "b", 90), idle("b-1", "b", 90));
        assertThat(world.findings()).as("nobody waits").allMatch(finding -> finding.startsWith("ok "));

        world.waiting =
                List.of(new WaitingLine("team/odd", 60, "a machine of pool a is provisioning", "upcoming", "1"));
        assertThat(world.trouble().toString())
                .startsWith("warning  pending pods: pool a grows (1 upcoming), although 2 of its machines have been"
                        + " idle for a minute (a-0, a-1); ");

        world.machineLines = List.of(idle("a-0", "a", 60), idle("a-1", "a", 59));
        assertThat(world.findings()).as("one may be left").allMatch(finding -> finding.startsWith("ok "));
    }

    private static MachineLine idle(String node, String pool, long seconds) {
        return new MachineLine(node, pool, "idle-schedulable", "idle", 600, seconds, List.of());
    }

    @Test
    void findsThatTheExtenderIsNotAsked() {
        world.events = List.of(
                CheckFixture.event("ExtenderNotAsked", "a", NOW.minusSeconds(60)),
                CheckFixture.event("ExtenderNotAsked", "a", NOW.minusSeconds(30)),
                CheckFixture.event("ExtenderNotAsked", "forgotten", NOW.minusSeconds(7_200)));
        assertThat(world.errors()).singleElement().asString().contains("without asking the extender: team/a; check");
    }

    @Test
    void tellsAnExtenderThatAnswersTooLateFromOneThatIsNotAsked() {
        world.events = List.of(CheckFixture.event("ExtenderTimeout", "a", NOW.minusSeconds(60)));
        assertThat(world.trouble().toString())
                .startsWith("warning  calls of the extender: in the last hour the extender did not answer in time")
                .contains("team/a")
                .endsWith("#extender-timeout");
    }

    @Test
    void findsThatTheScalerDoesNotHearTheExtender() {
        world.events = List.of(CheckFixture.event("ScalerNotReached", "trainyard-extender", NOW.minusSeconds(60)));
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.startsWith(
                                "warning  calls of the scaler: in the last hour the extender's reports did not reach the scaler: refused;"));
    }

    @Test
    void findsThatNoExtenderRunsAndThenSaysNothingOfItsCalls() {
        world.pods = ReadResult.of(List.of(CheckFixture.waiting("a", "0/1 nodes are available: 1 Insufficient cpu.")));
        world.extender = ReadResult.of(Optional.of(CheckFixture.lease(NOW.minusSeconds(121))));
        assertThat(world.errors())
                .singleElement()
                .asString()
                .startsWith(
                        "error    extender: Lease trainyard-system/trainyard-extender was last renewed 121 s ago, by")
                .contains("no extender runs, although there are pods of trainyard-scheduler: 1; check that");
        assertThat(world.findings()).noneMatch(finding -> finding.contains("calls of the extender"));

        world.extender = ReadResult.of(Optional.empty());
        assertThat(world.errors())
                .singleElement()
                .asString()
                .contains("there is no Lease trainyard-system/trainyard-extender: no extender runs");
        world.events = List.of(CheckFixture.event("ExtenderNotAsked", "a", NOW.minusSeconds(60)));
        assertThat(world.errors()).hasSize(2);
    }

    @Test
    void onlyWarnsThatNoExtenderRunsWhileThereAreNoPodsForIt() {
        world.extender = ReadResult.of(Optional.empty());
        assertThat(world.trouble().level()).isEqualTo(Level.WARNING);
        assertThat(world.trouble().seen()).startsWith("there is no Lease");
    }

    @Test
    void stillLooksAtCallsWhereTheExtendersLeaseMayNotBeRead() {
        world.extender = ReadResult.unread("needs the right to get leases");
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.startsWith("warning  extender: not checked: needs the right to get leases"))
                .anyMatch(finding -> finding.startsWith("ok       calls of the extender"));
    }

    @Test
    void findsASchedulerThatIsNotToldOfTheExtender() {
        world.schedulerFile = world.schedulerFile.replace("extenders:", "forgotten:");
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    scheduler's configuration: the configuration does not name the extender (ConfigMap trainyard-system/config extenders = (nothing), expected the extender);")
                .endsWith("#extender-not-asked");
    }

    @Test
    void expectsNoExtenderWhereTheSchedulersDeploymentHasNone() {
        world.removeExtender();
        world.pods = ReadResult.of(List.of(CheckFixture.waiting("a", "0/1 nodes are available: 1 Insufficient cpu.")));

        assertThat(world.findings())
                .allMatch(finding -> finding.startsWith("ok "))
                .contains(
                        "ok       extender: not used: Deployment trainyard-system/trainyard-scheduler has no extender,"
                                + " so kube-scheduler's own plugins choose nodes")
                .noneMatch(finding -> finding.contains("calls of the extender"));
    }

    @Test
    void findsASchedulerConfiguredForAnExtenderThatIsNotInstalled() {
        world.removeExtender();
        world.schedulerFile = CheckFixture.shippedSchedulerFile("base/extender/scheduler-config.yaml");

        assertThat(world.trouble().toString())
                .startsWith(
                        "error    scheduler's configuration: the configuration names the extender, which is not installed ")
                .contains("put back what manifests/components/scheduler-profile-plugins/scheduler-config.yaml has");
    }

    @Test
    void namesTheSchedulersConfigurationOfItsProfile() {
        world.removeExtender();
        world.lease = Optional.empty();

        assertThat(world.errors().toString())
                .contains("runs with manifests/components/scheduler-profile-plugins/scheduler-config.yaml");
    }

    @Test
    void seesAnExtenderBesideTheClustersSchedulerAlsoIfASchedulerWithoutExtenderIsLeftOver() {
        var before = List.copyOf(world.deployments);
        world.removeExtender();
        world.deployments.add(before.get(1));

        assertThat(world.findings()).noneMatch(finding -> finding.contains("extender: not used"));
    }

    @Test
    void findsAnInstalledExtenderThatTheSchedulerDoesNotKnow() {
        world.schedulerFile =
                CheckFixture.shippedSchedulerFile("components/scheduler-profile-plugins/scheduler-config.yaml");

        assertThat(world.errors()).singleElement().asString().contains("the configuration does not name the extender");
    }

    @Test
    void findsThatNobodyLeads() {
        world.scaler = Optional.of(CheckFixture.lease(NOW.minusSeconds(90)));
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    scaler: no scaler leads, so no machine is launched or removed (Lease trainyard-system/trainyard-scaler spec.renewTime = 90 s ago, by scheduler-0_5f3c, expected less than 60 s ago);")
                .endsWith("#no-leader");

        world.scaler = Optional.empty();
        assertThat(world.errors()).hasSize(1);
    }

    @Test
    void releasedLeaseOfTheScalerIsAWarningForAMinute() {
        var released = CheckFixture.lease(NOW.minusSeconds(5));
        released.getSpec().setHolderIdentity("");
        world.scaler = Optional.of(released);
        var trouble = world.trouble();
        assertThat(trouble.level()).isEqualTo(Level.WARNING);
        assertThat(trouble.field()).isEqualTo("spec.holderIdentity");
        assertThat(trouble.value()).isEmpty();
        assertThat(trouble.expected()).isEqualTo("the scaler that leads");

        released.getSpec().setRenewTime(NOW.minusSeconds(61).atZone(ZoneOffset.UTC));
        assertThat(world.trouble().level()).isEqualTo(Level.ERROR);
    }

    @Test
    void saysWhatItMayNotReadAndNeverThatItIsWell() {
        world.pods = ReadResult.unread("needs the right to list pods");
        world.rights = ReadResult.unread("needs the right to create subjectaccessreviews.authorization.k8s.io");
        assertThat(world.findings())
                .filteredOn(finding -> !finding.startsWith("ok"))
                .hasSize(2)
                .allMatch(finding -> finding.startsWith("warning"))
                .allMatch(finding -> finding.contains("not checked: ") && finding.endsWith("#not-checked"));
        assertThat(world.findings()).noneMatch(finding -> finding.startsWith("ok       rights"));
    }

    @Test
    void advisesAnotherUserOnlyIfARightIsMissing() {
        world.pods = ReadResult.unread("needs the right to list pods");
        assertThat(world.trouble().todo()).isEqualTo("run the check as a user with the necessary rights");

        world.pods = ReadResult.unread("Connection refused");
        assertThat(world.trouble().todo()).isEqualTo("fix this problem, then check again");
    }
}
