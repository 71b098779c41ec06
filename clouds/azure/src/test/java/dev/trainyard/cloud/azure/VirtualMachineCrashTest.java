package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.Machine.State;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that ends at any of its requests, whether or not Azure carries out that request. The next process has neither lost nor surplus
 * machines, and no leftovers.
 */
class VirtualMachineCrashTest {

    private static final String PREFIX = VirtualMachineStage.PREFIX;

    @TempDir
    private Path directory;

    private VirtualMachineStage cloud;
    private Pool pool;

    @BeforeEach
    void open() {
        cloud = new VirtualMachineStage(directory);
        pool = cloud.pool(Objects.onDemand(1).max(20));
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    /** Each machine takes two requests: its interface and the machine. */
    static Stream<Arguments> growths() {
        return cuts(1, 2);
    }

    @ParameterizedTest
    @MethodSource("growths")
    void aGrowthThatIsCutOffIsMadeWhole(int requests, boolean carriedOut) throws Exception {
        grow(1, requests, carriedOut);
    }

    static Stream<Arguments> growthsOfThree() {
        return cuts(3, 2);
    }

    @ParameterizedTest
    @MethodSource("growthsOfThree")
    void aGrowthOfSeveralThatIsCutOffIsMadeWhole(int requests, boolean carriedOut) throws Exception {
        grow(3, requests, carriedOut);
    }

    private void grow(int machines, int requests, boolean carriedOut) throws Exception {
        cloud.crashAt(requests, carriedOut);
        attempt(() -> cloud.provider().grow(pool, 0, machines));
        cloud.restart();
        cloud.clearFaults();

        int there = read().target();
        assertThat(there).isBetween(0, machines);
        if (there < machines) {
            cloud.provider().grow(pool, there, machines);
        }
        readFor(Duration.ofMinutes(15));

        assertThat(read().machines())
                .hasSize(machines)
                .extracting(machine -> machine.state())
                .containsOnly(State.RUNNING);
        assertThat(cloud.cloud.names()).hasSize(machines);
        assertThat(cloud.cloud.interfaces()).hasSize(machines);
        assertThat(cloud.cloud.disks()).hasSize(machines);
    }

    /** A removal takes five requests: a mark on the interface, one on the disk, the machine, later the interface, and last the disk. */
    static Stream<Arguments> removals() {
        return cuts(1, 5);
    }

    @ParameterizedTest
    @MethodSource("removals")
    void aRemovalThatIsCutOffIsMadeWhole(int requests, boolean carriedOut) throws Exception {
        for (int index = 0; index < 3; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
        }
        cloud.settle();
        var doomed = read().machines().subList(1, 2);
        cloud.crashAt(requests, carriedOut);
        attempt(() -> {
            cloud.provider().terminate(pool, doomed);
            readFor(Duration.ofMinutes(3));
        });
        cloud.restart();
        cloud.clearFaults();

        // The machine's node is still marked for removal, so the next scaler requests the termination again.
        cloud.provider().terminate(pool, doomed);
        readFor(Duration.ofMinutes(5));

        assertThat(cloud.cloud.names()).containsOnly(PREFIX + "0", PREFIX + "2");
        assertThat(cloud.cloud.interfaces()).containsOnly(PREFIX + "nic-0", PREFIX + "nic-2");
        assertThat(cloud.cloud.disks()).hasSize(2);
        assertThat(read().target()).isEqualTo(2);
    }

    private static Stream<Arguments> cuts(int machines, int requestsForEach) {
        return IntStream.range(0, machines * requestsForEach)
                .boxed()
                .flatMap(requests -> Stream.of(Arguments.of(requests, false), Arguments.of(requests, true)));
    }

    @FunctionalInterface
    private interface Work {
        void go() throws ProviderException;
    }

    /** Ignores the failure, which a dead process does not see. */
    private static void attempt(Work work) {
        try {
            work.go();
        } catch (ProviderException e) {
            assertThat(e.words()).isNotBlank();
        }
    }

    private void readFor(Duration time) throws ProviderException {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(30)) {
            cloud.clock.move(Duration.ofSeconds(30));
            read();
        }
    }

    private PoolState read() throws ProviderException {
        return cloud.provider().read(pool);
    }
}
