package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.bench.scoring.trace.Trace;
import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TracePod;
import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Expected values are computed by hand from the formulas of the FGD paper. */
class ResearchPoliciesTest {

    private static final TraceNode NODE = new TraceNode("n", 64_000, 262_144, 4, "T4");

    @Test
    void bestFitMeasuresWhatIsLeftAgainstTheLargestMachine() {
        // CPU left 32,000 of 128,000: 0.25; GPUs left 2,000 of 8,000: 0.25. 100 x (1 - 0.125 - 0.125).
        assertThat(ResearchPolicies.bestFit().of(new TraceMachine(NODE), pod(32_000, 2, 1000)))
                .isEqualTo(75);
        // 0.375 and 3,540 of 8,000: 100 x (1 - 0.1875 - 0.22125) = 59.1.
        assertThat(ResearchPolicies.bestFit().of(new TraceMachine(NODE), pod(16_000, 1, 460)))
                .isEqualTo(59);
    }

    @Test
    void freeGpusAreOfNoUseToPodsThatCannotRunOrCannotUseThem() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(60_000, 1, 700), new int[] {1}); // free afterwards: 4,000 mCPU; 1000, 300, 1000, 1000

        assertThat(PublishedFgd.knowingOnly(pod(4000, 1, 500)).before(machine))
                .as("the rest of the device that is too full")
                .isEqualTo(300);
        assertThat(PublishedFgd.knowingOnly(pod(4000, 1, 300)).before(machine)).isZero();
        assertThat(PublishedFgd.knowingOnly(pod(4001, 1, 300)).before(machine))
                .as("no CPU left")
                .isEqualTo(3300);
        assertThat(PublishedFgd.knowingOnly(pod(1, 4, 1000)).before(machine))
                .as("too few untouched devices")
                .isEqualTo(3300);
        assertThat(PublishedFgd.knowingOnly(pod(1, 0, 0)).before(machine))
                .as("pods without GPUs")
                .isEqualTo(3300);
        assertThat(PublishedFgd.knowingOnly(new TraceShape(1, 1, 1, 300, List.of("P100")))
                        .before(machine))
                .as("another model")
                .isEqualTo(3300);
    }

    @Test
    void scoresTheGradientAndGivesAShareTheDeviceThatWastesLeast() {
        var machine = new TraceMachine(NODE);
        machine.take(pod(0, 1, 300), new int[] {2});
        var fgd = PublishedFgd.knowingOnly(pod(0, 1, 700));

        // On device 2 no free part becomes unusable (0 to 0, sigmoid 0.5); on another device 400 would.
        assertThat(fgd.devices(machine, pod(0, 1, 700))).containsExactly(2);
        assertThat(fgd.of(machine, pod(0, 1, 700))).isEqualTo(50);
        // 600 leaves 400 unusable on an unused device, or 100 on device 2: gradient -100, sigmoid 0.475.
        assertThat(fgd.devices(machine, pod(0, 1, 600))).containsExactly(2);
        assertThat(fgd.of(machine, pod(0, 1, 600))).isEqualTo(47);
    }

    @Test
    void knowsTheClassesThatCoverNineteenOfTwentyPods() {
        var pods = new ArrayList<TracePod>();
        for (int i = 0; i < 19; i++) {
            pods.add(new TracePod(
                    "usual" + i, new TraceShape(0, i, 1, 500, List.of()))); // memory does not distinguish kinds of pods
        }
        pods.add(new TracePod("rare", pod(0, 4, 1000)));
        var machine = new TraceMachine(NODE);
        machine.take(pod(0, 1, 600), new int[] {0});

        assertThat(PublishedFgd.knowing(new Trace("t", List.of(NODE), pods)).before(machine))
                .as("400 for the usual ones; the rare one, for which all would be lost, is not known")
                .isEqualTo(400, within(1e-9));
    }

    private static TraceShape pod(long cpu, int gpus, int milli) {
        return new TraceShape(cpu, 1, gpus, milli, List.of());
    }
}
