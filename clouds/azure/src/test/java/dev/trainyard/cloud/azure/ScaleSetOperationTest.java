package dev.trainyard.cloud.azure;

import static dev.trainyard.emulator.azure.AzureEmulator.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations of a scale set that fail, are late, or are not reported. */
class ScaleSetOperationTest {

    private final ScaleSetStage cloud = new ScaleSetStage();

    @AfterEach
    void close() {
        cloud.close();
    }

    @Test
    void aFailureIsNotForgottenBecauseAnOlderOrderSucceeds() throws Exception {
        cloud.set.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 2);
        read();
        cloud.provider().grow(cloud.pool(), 2, 5);
        cloud.clock.move(Duration.ofSeconds(25));
        // The reading that finds the failed operation fails itself.
        cloud.arm.trouble(
                request -> request.method().equals("GET") && request.path().endsWith(ScaleSetStage.SET),
                AzureFault.RESET);
        for (int i = 0; i < 14; i++) {
            assertThat(catchThrowableOfType(ProviderException.class, this::read))
                    .isNotNull();
            cloud.clock.move(Duration.ofSeconds(6));
        }
        cloud.arm.clearFaults();
        cloud.clock.move(Duration.ofSeconds(10));
        assertThat(read().failures()).anyMatch(failure -> failure.message().contains("AllocationFailed"));
    }

    @Test
    void azuresWordsOfARemovalThatFailedAreHeard() throws Exception {
        running(3);
        cloud.set.deletionFailure(Optional.of(error("OperationNotAllowed", "Instance 0 is protected.")));
        cloud.provider().terminate(cloud.pool(), read().machines().subList(0, 1));
        cloud.settle();
        var state = read();
        assertThat(state.warnings()).anyMatch(warning -> warning.contains("Instance 0 is protected."));
        var refusal = catchThrowableOfType(
                ProviderException.class,
                () -> cloud.provider().terminate(cloud.pool(), state.machines().subList(0, 1)));
        assertThat(refusal.words()).contains("Instance 0 is protected.");
        cloud.set.deletionFailure(Optional.empty());
        cloud.clock.move(Duration.ofMinutes(1));
        cloud.provider().terminate(cloud.pool(), state.machines().subList(0, 1));
        cloud.settle();
        assertThat(read().warnings()).noneMatch(warning -> warning.contains("protected"));
    }

    @Test
    void machinesCanBeRemovedAgainAtOnceAfterAnotherRemovalSucceeded() throws Exception {
        running(3);
        var machines = read().machines();
        cloud.set.deletionFailure(Optional.of(error("OperationNotAllowed", "Instance 0 is protected.")));
        cloud.provider().terminate(cloud.pool(), machines.subList(0, 1));
        cloud.set.deletionFailure(Optional.empty());
        cloud.provider().terminate(cloud.pool(), machines.subList(1, 2));
        cloud.settle();
        assertThat(read().warnings()).anyMatch(warning -> warning.contains("Instance 0 is protected."));
        assertThat(read().warnings()).noneMatch(warning -> warning.contains("Instance 0 is protected."));
        cloud.provider().terminate(cloud.pool(), machines.subList(0, 1));
        cloud.settle();
        assertThat(cloud.machines()).hasSize(1);
    }

    @Test
    void aRemovalThatWasCutShortLongAgoIsNotRepeated() throws Exception {
        running(3);
        cloud.set.deletionFailure(Optional.of(error("OperationPreempted", "preempted")));
        cloud.provider().terminate(cloud.pool(), read().machines().subList(0, 1));
        cloud.settle();
        cloud.set.deletionFailure(Optional.empty());
        cloud.clock.move(Duration.ofMinutes(70));
        read();
        cloud.settle();
        assertThat(cloud.machines()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"INTERNAL_ERROR", "FORBIDDEN", "TOKEN_EXPIRED"})
    void anOperationThatIsNotToldOfDoesNotHideWhatTheSetSays(AzureFault fault) throws Exception {
        cloud.set.stock(0);
        cloud.provider().grow(cloud.pool(), 0, 2);
        cloud.arm.trouble(request -> request.path().contains("/operations/"), fault);
        cloud.clock.move(Duration.ofMinutes(1));
        for (int i = 0; i < 8; i++) {
            read();
            cloud.clock.move(Duration.ofSeconds(10));
        }
        assertThat(read().failures()).anyMatch(failure -> failure.message().contains("AllocationFailed"));
        assertThat(read().unfilled()).isEqualTo(2);
        cloud.provider().withdraw(cloud.pool(), 2, 0);
        assertThat(cloud.target()).isZero();
    }

    @Test
    void aClockThatIsSetBackStopsNoReading() throws Exception {
        running(2);
        cloud.clock.move(Duration.ofHours(-1));
        cloud.set.resize(5);
        assertThat(read().target()).isEqualTo(5);
    }

    private void running(int machines) throws ProviderException {
        cloud.provider().grow(cloud.pool(), 0, machines);
        cloud.settle();
        assertThat(read().machines()).hasSize(machines);
    }

    private PoolState read() throws ProviderException {
        return cloud.provider().read(cloud.pool());
    }
}
