package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class TraceMachineTest {

    private static final TraceNode NODE = new TraceNode("n", 16_000, 65_536, 4, "T4");

    @Test
    void judgesEveryResourceAndTheModel() {
        var machine = new TraceMachine(NODE);

        assertThat(machine.fits(pod(16_000, 65_536, 4, 1000))).isTrue();
        assertThat(machine.fits(pod(16_001, 65_536, 4, 1000))).isFalse();
        assertThat(machine.fits(pod(16_000, 65_537, 4, 1000))).isFalse();
        assertThat(machine.fits(pod(1, 1, 5, 1000))).isFalse();
        assertThat(machine.fits(new TraceShape(1, 1, 1, 1000, List.of("P100", "T4"))))
                .isTrue();
        assertThat(machine.fits(new TraceShape(1, 1, 1, 1000, List.of("P100")))).isFalse();
        assertThat(machine.fits(new TraceShape(1, 1, 0, 0, List.of("P100"))))
                .as("a pod without GPUs does not care for their model")
                .isTrue();
    }

    @Test
    void aShareNeedsRoomOnASingleDevice() {
        var machine = new TraceMachine(new TraceNode("n", 16_000, 65_536, 2, "T4"));
        machine.take(pod(1, 1, 1, 600), new int[] {0});
        machine.take(pod(1, 1, 1, 600), new int[] {1});

        assertThat(machine.freeMilli()).isEqualTo(800);
        assertThat(machine.fits(pod(1, 1, 1, 400))).isTrue();
        assertThat(machine.fits(pod(1, 1, 1, 401))).isFalse();
        assertThat(machine.fits(pod(1, 1, 1, 1000))).isFalse();
    }

    @Test
    void aShareGetsTheFullestDeviceWithRoomAndWholeOnesUntouchedDevices() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(1, 1, 1, 500), new int[] {1});
        machine.take(pod(1, 1, 1, 700), new int[] {2});

        assertThat(machine.bestFittingDevices(pod(1, 1, 1, 300))).containsExactly(2);
        assertThat(machine.bestFittingDevices(pod(1, 1, 1, 301))).containsExactly(1);
        assertThat(machine.bestFittingDevices(pod(1, 1, 1, 501))).containsExactly(0);
        assertThat(machine.bestFittingDevices(pod(1, 1, 2, 1000))).containsExactly(0, 3);
        assertThat(machine.bestFittingDevices(pod(1, 1, 0, 0))).isEmpty();
    }

    @Test
    void theSchedulersOwnCountSeesWholeGpusOnly() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(1, 1, 1, 500), new int[] {0});
        machine.take(pod(1, 1, 2, 1000), new int[] {1, 2});

        assertThat(machine.gpusOfWholePods()).isEqualTo(2);
    }

    @Test
    void refusesToBeOverCommitted() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(10_000, 1, 1, 600), new int[] {0});

        assertThatThrownBy(() -> machine.take(pod(1, 1, 1, 401), new int[] {0})).hasMessageContaining("over-committed");
        assertThatThrownBy(() -> machine.take(pod(6001, 1, 0, 0), new int[0])).hasMessageContaining("over-committed");
        assertThatThrownBy(() -> machine.take(pod(1, 1, 2, 1000), new int[] {1}))
                .hasMessageContaining("over-committed");
    }

    @Property(tries = 300)
    void whatFitsCanBeTakenAndWhatDoesNotFitHasNoRoom(@ForAll("pods") List<TraceShape> pods) {
        var machine = new TraceMachine(NODE);
        for (var pod : pods) {
            long devicesWithRoom = Arrays.stream(machine.devices())
                    .filter(free -> free >= pod.gpuMilli())
                    .count();
            boolean room = pod.cpuMilli() <= machine.freeCpuMilli()
                    && pod.memoryMib() <= machine.freeMemoryMib()
                    && devicesWithRoom >= pod.gpus();
            assertThat(machine.fits(pod)).isEqualTo(room);
            if (room) {
                machine.take(pod, machine.bestFittingDevices(pod));
            }
            assertThat(machine.freeCpuMilli()).isNotNegative();
            assertThat(machine.freeMemoryMib()).isNotNegative();
            assertThat(Arrays.stream(machine.devices())).allMatch(free -> free >= 0 && free <= TraceShape.WHOLE);
            assertThat(machine.freeMilli())
                    .isEqualTo(Arrays.stream(machine.devices()).sum());
        }
    }

    @Provide
    Arbitrary<List<TraceShape>> pods() {
        var shares = Arbitraries.integers().between(1, 999).map(milli -> new int[] {1, milli});
        var whole = Arbitraries.integers().between(0, 4).map(gpus -> new int[] {gpus, gpus == 0 ? 0 : 1000});
        return Combinators.combine(
                        Arbitraries.longs().between(0, 6000),
                        Arbitraries.longs().between(0, 30_000),
                        Arbitraries.oneOf(shares, whole))
                .as((cpu, memory, gpu) -> pod(cpu, memory, gpu[0], gpu[1]))
                .list()
                .ofMaxSize(30);
    }

    private static TraceShape pod(long cpu, long memory, int gpus, int milli) {
        return new TraceShape(cpu, memory, gpus, milli, List.of());
    }
}
