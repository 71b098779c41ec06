package dev.trainyard.extender.score;

import static dev.trainyard.extender.score.Tables.GIBIBYTE;
import static dev.trainyard.extender.score.Tables.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.workload.TypicalWorkload;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PolicyNameTest {

    @Test
    void eachNameStandsForItsPolicy() {
        assertThat(PolicyName.FRAGMENTATION.with(TypicalWorkload.UNKNOWN)).isInstanceOf(Fragmentation.class);
        assertThat(PolicyName.PACK.with(TypicalWorkload.UNKNOWN)).isInstanceOf(Pack.class);
        assertThat(PolicyName.SPREAD.with(TypicalWorkload.UNKNOWN)).isInstanceOf(Spread.class);
    }

    @Property(seed = "42")
    void spreadIsTheReverseOfPack(
            @ForAll @IntRange(max = 16) int freeCores,
            @ForAll @IntRange(min = 1, max = 4) int freeGpus,
            @ForAll @IntRange(max = 16) int otherCores,
            @ForAll @IntRange(min = 1, max = 4) int otherGpus) {
        var one = state(freeCores, freeGpus);
        var other = state(otherCores, otherGpus);
        int pack = Integer.signum(order(new Pack(), one, other));

        assertThat(Integer.signum(order(new Spread(), one, other))).isEqualTo(-pack);
        if (freeGpus != otherGpus) {
            assertThat(pack).isEqualTo(Integer.compare(freeGpus, otherGpus));
        } else {
            assertThat(pack).isEqualTo(Integer.compare(freeCores, otherCores));
        }
    }

    private static int order(ScorePolicy policy, IndexedState one, IndexedState other) {
        var pod = pod("1/1000");
        return policy.rate(pod, one).compareTo(policy.rate(pod, other));
    }

    private static IndexedState state(int freeCores, int freeGpus) {
        var gpus = new int[4];
        Arrays.fill(gpus, 0, freeGpus, 1000);
        var look = new NodeProfile(null, false, GpuKind.UNKNOWN, true);
        return new IndexedState(
                look, 16_000, 1000L * freeCores, 16 * GIBIBYTE, freeCores * GIBIBYTE, GpuRoom.left(gpus));
    }
}
