package dev.trainyard.extender.score;

import static dev.trainyard.extender.score.Tables.GIBIBYTE;
import static dev.trainyard.extender.score.Tables.gpus;
import static dev.trainyard.extender.score.Tables.pods;
import static dev.trainyard.extender.score.Tables.room;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.pod.PodClass;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoomFillerTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # GPUs left    | cores | least | pods                        | used
            300 1000       | 9     | 100   | 1/300 1/1000                | 1300
            400 600        | 9     | 100   | 1/400 1/600                 | 1000
            600 400 1000   | 9     | 100   | 1/500 1/400 1/1000          | 1900
            300 1000       | 9     | 100   | 1/400 1/1000                | 400
            1000           | 9     | 100   | 1/400 1/400 1/200           | 1000
            1000 1000      | 9     | 100   | 1/700 1/600 1/300 1/400     | 2000
            500            | 9     | 100   | 1/600 1/500                 | 500
            500 1000       | 9     | 100   | 1/1000 1/500                | 1500
            # parts smaller than the least share are lost
            1000           | 9     | 300   | 1/800 1/200                 | 800
            1000           | 9     | 300   | 1/700 1/300                 | 1000
            299 1000       | 9     | 300   | 1/200 1/1000                | 200
            300 1000       | 9     | 300   | 1/200 1/1000                | 1200
            # whole ones
            1000 1000 1000 | 9     | 1000  | 1/2000 1/2000 1/1000        | 3000
            999 999        | 9     | 1000  | 1/1000                      | 0
            999 1000 999   | 9     | 100   | 1/2000 1/1000               | 1000
            # CPUs
            1000 1000 1000 | 5     | 1000  | 2/1000 2/1000 2/1000        | 2000
            1000 1000 1000 | 5     | 1000  | 4/1000 2/1000 1/1000        | 2000
            1000 1000      | 10    | 1000  | 8/0 4/1000 2/1000           | 1000
            1000 1000      | 10    | 1000  | 4/1000 8/0 2/1000           | 2000
            1000           | 0     | 1000  | 1/1000                      | 0
            1000           | 0     | 1000  | 0/1000                      | 1000
            # nothing to fill, nothing to fill it with
            ''             | 9     | 100   | 1/1000 1/100                | 0
            0 0            | 9     | 100   | 1/1000 1/100                | 0
            1000           | 9     | 1000  | 1/0 1/0                     | 0
            1000           | 9     | 1000  | ''                          | 0
            """)
    void podsGetTheirPlacesOneAfterTheOther(String gpus, int cores, int least, String pods, int used) {
        var classes = pods(pods);

        assertThat(fill(room(gpus, cores), least, classes, all(classes))).isEqualTo(used);
    }

    @Test
    void aClassComesAsOftenAsTheSequenceSays() {
        var classes = pods("1/1000 2/2000");
        var filling = RoomFiller.of(room("1000 1000 1000 1000 1000", 9), 1000);

        assertThat(filling.with(new int[] {1, 0, 1, 1}, classes, all(classes), 1000))
                .isEqualTo(5000);
    }

    @Test
    void podsThatThisKindOfMachineIsNotForTakeNothing() {
        var classes = pods("8/2000 8/0 4/1000");
        var room = room("1000 1000", 8);
        var last = new BitSet();
        last.set(2);

        assertThat(fill(room, 1000, classes, all(classes))).isEqualTo(2000);
        assertThat(fill(room, 1000, classes, last)).isEqualTo(1000);
    }

    @Test
    void memoryCountsAsCpusDo() {
        var classes = pods("2/1000 2/1000 1/1000");
        var room = new Room(GpuKind.UNKNOWN, 9_000, 3 * GIBIBYTE, gpus("1000 1000 1000"));

        assertThat(fill(room, 1000, classes, all(classes))).isEqualTo(2000);
    }

    @Test
    void aPodThatDoesNotFitTakesNothing() {
        var classes = pods("5/3000 5/2000");

        assertThat(fill(room("1000 1000", 5), 1000, classes, all(classes))).isEqualTo(2000);
    }

    private static int fill(Room room, int least, List<PodClass> classes, BitSet accepted) {
        var sequence = IntStream.range(0, classes.size()).toArray();
        long leastCpu = classes.stream()
                .filter(pod -> !pod.gpus().isNone())
                .mapToLong(PodClass::cpu)
                .min()
                .orElse(0);
        return RoomFiller.of(room, least).with(sequence, classes, accepted, leastCpu);
    }

    private static BitSet all(List<PodClass> classes) {
        var all = new BitSet();
        all.set(0, classes.size());
        return all;
    }
}
