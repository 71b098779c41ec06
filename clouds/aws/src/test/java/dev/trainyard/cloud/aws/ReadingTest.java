package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.Bounds;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadingTest {

    private static final Instant NOON = Objects.NOON;
    private static final Pool GUARDED = AwsStage.pool("p", "g", true);
    private static final Pool UNGUARDED = AwsStage.pool("p", "g", false);

    private int least = 0;
    private int most = 20;
    private List<String> zones = List.of("a");
    private Set<String> suspended = Set.of();
    private boolean protectsNew = true;
    private Optional<Group.Mix> mix = Optional.empty();
    private String unit = "units";
    private int lifetime = 0;
    private boolean rebalances = false;
    private Optional<String> deletion = Optional.empty();

    private Group group(Group.Instance... instances) {
        return new Group(
                "g",
                least,
                most,
                instances.length,
                List.of(instances),
                zones,
                suspended,
                protectsNew,
                new Group.Source.Unknown(),
                mix,
                unit,
                lifetime,
                rebalances,
                deletion,
                new TreeMap<>());
    }

    private static Group.Instance instance(String lifecycle) {
        return new Group.Instance("i-1", "p3.2xlarge", "eu-west-1b", lifecycle, true);
    }

    /** The values of LifecycleState, from the API reference of Instance. */
    @ParameterizedTest
    @CsvSource({
        "Pending, CREATING",
        "Pending:Wait, CREATING",
        "Pending:Proceed, CREATING",
        "Quarantined, CREATING",
        "InService, RUNNING",
        "EnteringStandby, RUNNING",
        "Standby, RUNNING",
        "Terminating, DELETING",
        "Terminating:Wait, DELETING",
        "Terminating:Proceed, DELETING",
        "Detaching, DELETING",
        "SomethingNew, RUNNING"
    })
    void lifecyclesAreStates(String lifecycle, Machine.State state) throws Exception {
        var read = Reading.of(GUARDED, group(instance(lifecycle)), Optional.empty(), Map.of(), NOON);
        assertThat(read.machines()).extracting(Machine::state).containsExactly(state);
    }

    @ParameterizedTest
    @CsvSource({"Terminated", "Detached", "Warmed:Stopped", "Warmed:Pending:Wait"})
    void whatIsNoMachineIsNotListed(String lifecycle) throws Exception {
        assertThat(Reading.of(GUARDED, group(instance(lifecycle)), Optional.empty(), Map.of(), NOON)
                        .machines())
                .isEmpty();
    }

    @Test
    void aMachineHasTheNamesThatItsNodeWillHave() throws Exception {
        var birth = new Birth(NOON.minusSeconds(90), Optional.of("ip-10-0-0-1.ec2.internal"), true);
        var machine = Reading.of(GUARDED, group(instance("InService")), Optional.empty(), Map.of("i-1", birth), NOON)
                .machines()
                .get(0);
        assertThat(machine)
                .isEqualTo(new Machine(
                        "i-1",
                        "aws:///eu-west-1b/i-1",
                        "ip-10-0-0-1.ec2.internal",
                        Machine.State.RUNNING,
                        NOON.minusSeconds(90)));
    }

    @Test
    void whatEc2HasNotHeardOfYetIsNew() throws Exception {
        assertThat(Reading.of(GUARDED, group(instance("Pending")), Optional.empty(), Map.of(), NOON)
                        .machines())
                .extracting(Machine::since)
                .containsExactly(NOON);
    }

    @Test
    void aGroupAsItShouldBeGivesNoWarning() {
        zones = List.of("a", "b");
        assertThat(warnings(UNGUARDED)).isEmpty();
        protectsNew = false;
        assertThat(warnings(GUARDED)).isEmpty();
    }

    /** kops cannot set protection. The condition CloudResourceSound shows the warning. */
    @Test
    void seed004_awsNamesGroupsWithoutScaleInProtection() {
        protectsNew = false;
        assertThat(warnings(UNGUARDED))
                .singleElement()
                .asString()
                .startsWith("g does not protect its instances from scale-in")
                .endsWith(
                        "Set protectFromScaleIn to true, or turn on the protection in the group; see docs/troubleshooting.md#machines-end-at-work");
        assertThat(warnings(GUARDED)).isEmpty();
        assertThat(warnings(AwsStage.pool("p", "g", null)))
                .as("protected unless somebody says no")
                .isEmpty();
    }

    @Test
    void whatIsSetAgainstThePoolIsWarnedOf() {
        zones = List.of("a", "b");
        protectsNew = false;
        suspended = Set.of("Launch", "ReplaceUnhealthy");
        least = 2;
        most = 10;
        lifetime = 7 * 24 * 3600;
        mix = Optional.of(new Group.Mix(1, 50, List.of("p3.2xlarge", "p3.8xlarge"), false, false));
        assertThat(warnings(UNGUARDED))
                .anyMatch(warning -> warning.startsWith("g does not protect its instances from scale-in"))
                .anyMatch(warning -> warning.contains("AZRebalance"))
                .anyMatch(warning -> warning.equals(
                        "process Launch of g is suspended: AWS does not launch machines until the process is resumed"))
                .anyMatch(warning -> warning.contains("after 168 hours"))
                .anyMatch(warning -> warning.startsWith("MaxSize of g is 10, less than spec.max, which is 20"))
                .anyMatch(warning -> warning.startsWith("MinSize of g is 2, more than spec.min, which is 0"))
                .anyMatch(warning -> warning.contains("spec.capacityType is spot"))
                .anyMatch(warning -> warning.contains("[p3.2xlarge, p3.8xlarge]"))
                .hasSize(8);
        suspended = Set.of("AZRebalance");
        assertThat(warnings(UNGUARDED)).noneMatch(warning -> warning.contains("AZRebalance"));
    }

    @Test
    void capacityRebalancingIsWarnedOf() {
        rebalances = true;
        assertThat(warnings(GUARDED)).singleElement().asString().startsWith("g has Capacity Rebalancing");
    }

    /** No launch template is read for this warning, since machines are read anyway. */
    @Test
    void machinesOfAnotherCapacityTypeThanThePoolsAreWarnedOf() throws Exception {
        assertThat(warnings(GUARDED, false))
                .containsExactly(
                        "g launches on-demand machines, such as i-1, but spec.capacityType is spot: fix spec.capacityType or the group's launch template");
        assertThat(warnings(GUARDED, true)).isEmpty();
        mix = Optional.of(new Group.Mix(1, 50, List.of(), false, false));
        assertThat(warnings(GUARDED, false)).as("the policy says it already").hasSize(1);
    }

    private List<String> warnings(Pool pool, boolean spot) throws ProviderException {
        var birth = new Birth(NOON, Optional.empty(), spot);
        return Reading.of(pool, group(instance("InService")), Optional.empty(), Map.of("i-1", birth), NOON)
                .warnings();
    }

    @Test
    void aGroupThatMayNotLaunchWillNotFillAnOrder() throws Exception {
        suspended = Set.of("Launch");
        var shortage = Optional.of(new Shortage(NOON.minusSeconds(7), List.of()));
        assertThat(Reading.of(GUARDED, group(), shortage, Map.of(), NOON).failures())
                .containsExactly(new Failure(
                        FailureKind.INVALID_CONFIGURATION,
                        "process Launch of g is suspended: AWS does not launch machines until the process is resumed",
                        NOON.minusSeconds(7)));
        suspended = Set.of("Terminate");
        assertThat(Reading.of(GUARDED, group(), shortage, Map.of(), NOON).failures())
                .isEmpty();
    }

    @Test
    void theGroupsOwnSizesBoundThePool() throws Exception {
        least = 1;
        most = 10;
        assertThat(Reading.of(GUARDED, group(), Optional.empty(), Map.of(), NOON)
                        .bounds())
                .isEqualTo(new Bounds(1, 10));
    }

    @Test
    void capacityThatIsNoNumberOfMachinesIsNotRead() {
        mix = Optional.of(new Group.Mix(0, 0, List.of("p3.2xlarge"), true, false));
        assertThat(refusal()).contains("has weights for instance types");
        mix = Optional.empty();
        unit = "vcpu";
        assertThat(refusal()).contains("has DesiredCapacityType vcpu");
        unit = "units";
        deletion = Optional.of("Delete in progress");
        assertThat(refusal()).contains("is being deleted");
    }

    private String refusal() {
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> Reading.of(GUARDED, group(), Optional.empty(), Map.of(), NOON));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        return refusal.words();
    }

    private List<String> warnings(Pool pool) {
        try {
            return Reading.of(pool, group(instance("InService")), Optional.empty(), Map.of(), NOON)
                    .warnings();
        } catch (ProviderException e) {
            throw new AssertionError(e);
        }
    }
}
