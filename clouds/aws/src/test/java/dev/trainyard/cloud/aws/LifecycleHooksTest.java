package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lifecycle hooks that delay the termination of instances. */
class LifecycleHooksTest {

    private AwsStage stage;
    private Machine machine;

    @BeforeEach
    void open() throws ProviderException {
        stage = new AwsStage();
        stage.group.protectNew(true).resize(3);
        stage.settle();
        machine = read().machines().get(0);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void ownHookIsCompletedForMachineThatTheScalerTerminates() throws Exception {
        stage.group.hook("trainyard");
        terminate();
        stage.settle();
        assertThat(state()).isEqualTo(Machine.State.HELD);

        terminate();
        assertThat(state()).isEqualTo(Machine.State.DELETING);
        stage.settle();
        assertThat(read().machines()).hasSize(2);
        assertThat(stage.target()).as("lowered once").isEqualTo(2);
    }

    @Test
    void hooksOfOthersAreLeftAlone() throws Exception {
        stage.group.hook("save-logs");
        terminate();
        stage.settle();
        assertThat(state()).isEqualTo(Machine.State.DELETING);

        terminate();
        assertThat(stage.aws.calls()).doesNotContainKey("CompleteLifecycleAction");
        assertThat(state()).isEqualTo(Machine.State.DELETING);
    }

    @Test
    void machineIsNotHeldAnyMoreIfOnlyTheHookOfAnotherDelaysIt() throws Exception {
        stage.group.hook("trainyard-drain").hook("save-logs");
        terminate();
        stage.settle();
        terminate();
        stage.settle();

        assertThat(stage.aws.calls()).containsEntry("CompleteLifecycleAction", 1);
        assertThat(state()).isEqualTo(Machine.State.DELETING);
    }

    @Test
    void hookThatIsOverIsNoFailure() throws Exception {
        stage.group.hook("trainyard");
        terminate();
        stage.settle();
        terminate();
        stage.restart();
        stage.group.instances().get(0).become("Terminating:Wait", stage.clock.instant());
        assertThat(state()).isEqualTo(Machine.State.HELD);

        terminate();
        assertThat(stage.aws.calls()).containsEntry("CompleteLifecycleAction", 2);
    }

    @Test
    void hooksAreReadOnceAMinuteAndOnlyWhileAMachineWaits() throws Exception {
        stage.group.hook("trainyard");
        read();
        assertThat(stage.aws.calls()).doesNotContainKey("DescribeLifecycleHooks");

        terminate();
        read();
        read();
        assertThat(stage.aws.calls()).containsEntry("DescribeLifecycleHooks", 1);
        stage.clock.move(Duration.ofMinutes(1));
        read();
        assertThat(stage.aws.calls()).containsEntry("DescribeLifecycleHooks", 2);
    }

    @Test
    void missingRightIsAWarning() throws Exception {
        stage.group.hook("trainyard");
        terminate();
        stage.strike(AwsFault.error(403, "AccessDenied", "no").on("DescribeLifecycleHooks"));

        assertThat(read().warnings()).anyMatch(warning -> warning.contains("allow autoscaling:DescribeLifecycleHooks"));
        assertThat(state()).isEqualTo(Machine.State.DELETING);
    }

    private void terminate() throws ProviderException {
        stage.provider().terminate(stage.pool(), List.of(machine));
    }

    private Machine.State state() throws ProviderException {
        return read().machines().stream()
                .filter(found -> found.id().equals(machine.id()))
                .findFirst()
                .orElseThrow()
                .state();
    }

    private PoolState read() throws ProviderException {
        stage.clock.move(AwsRegion.FRESH);
        return stage.provider().read(stage.pool());
    }
}
