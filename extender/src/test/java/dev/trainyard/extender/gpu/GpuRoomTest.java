package dev.trainyard.extender.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.gpu.GpuRoom.Taken;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuRoomTest {

    @Test
    void sharesGoWhereTheLeastIsLeftAndWholeOnesToGpusThatNobodyUses() {
        var room = GpuRoom.of(4, List.of(any(1, 300), any(2, 1000), any(1, 600)));

        assertThat(room).hasToString("[0, 0, 100, 1000]");
    }

    @Test
    void aGpuThatWasGivenIsTheOneThatIsTaken() {
        var room = GpuRoom.of(2, List.of(any(1, 300), new Taken(GpuDemand.share(300), List.of(1))));
        assertThat(room).hasToString("[400, 1000]");

        var apart = GpuRoom.of(
                2, List.of(new Taken(GpuDemand.share(300), List.of(0)), new Taken(GpuDemand.share(300), List.of(1))));
        assertThat(apart).hasToString("[700, 700]");
    }

    @Test
    void indexesThatMakeNoSenseAreIgnored() {
        assertThat(GpuRoom.of(2, List.of(new Taken(GpuDemand.whole(1), List.of(7)))))
                .hasToString("[0, 1000]");
        assertThat(GpuRoom.of(2, List.of(new Taken(GpuDemand.whole(1), List.of(0, 1)))))
                .hasToString("[0, 1000]");
    }

    @Test
    void moreThanThereIsLeavesNothing() {
        assertThat(GpuRoom.of(2, List.of(any(3, 1000), any(1, 500)))).hasToString("[0, 0]");
        assertThat(GpuRoom.of(0, List.of(any(1, 1000)))).isEqualTo(GpuRoom.NONE);
    }

    @Test
    void knowsWhatAPodWouldLeave() {
        var room = GpuRoom.left(1000, 500, 200, 1000);

        assertThat(room.after(GpuDemand.share(300))).hasToString("[200, 200, 1000, 1000]");
        assertThat(room.after(GpuDemand.whole(2))).hasToString("[0, 0, 200, 500]");
        assertThat(room.after(GpuDemand.whole(3))).isNull();
        assertThat(room.after(GpuDemand.NONE)).isSameAs(room);
        assertThat(room.total()).isEqualTo(2700);
        assertThat(room.countWith(500)).isEqualTo(3);
        var parts = new int[4];
        assertThat(room.copyParts(300, parts)).isEqualTo(1);
        assertThat(parts).startsWith(500);
    }

    @Property(seed = "42")
    void isTheSameInWhateverOrderPodsAreSeen(
            @ForAll @IntRange(min = 1, max = 8) int gpus,
            @ForAll @Size(max = 8) List<@IntRange(min = 1, max = 1000) Integer> shares,
            @ForAll Random random) {
        var taken = new ArrayList<Taken>();
        shares.forEach(milli -> taken.add(milli > 900 ? any(2, 1000) : any(1, milli)));
        var room = GpuRoom.of(gpus, taken);
        Collections.shuffle(taken, random);

        assertThat(GpuRoom.of(gpus, taken)).isEqualTo(room).hasSameHashCodeAs(room);
        assertThat(room.total()).isBetween(0, 1000 * gpus);
        assertThat(IntStream.rangeClosed(1, 1000).map(room::countWith).boxed().toList())
                .isSortedAccordingTo(Collections.reverseOrder());
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            0, -,     0, 0
            1, -,     1, 1000
            8, -,     8, 1000
            0, 460,   1, 460
            1, 460,   1, 460
            2, 460,   2, 1000
            0, 1000,  1, 1000
            0, 1001,  0, 0
            0, -5,    0, 0
            0, half,  0, 0
            0, 00000, 0, 0
            1, '',    1, 1000
            """)
    void demandIsWhatAPodSaysAsFarAsItMakesSense(int requested, String milli, int count, int each) {
        var annotations = milli == null ? Map.<String, String>of() : Map.of("trainyard.dev/gpu-milli", milli);

        assertThat(GpuDemand.of(requested, annotations)).isEqualTo(new GpuDemand(count, each));
    }

    private static Taken any(int count, int milli) {
        return new Taken(new GpuDemand(count, milli), List.of());
    }
}
