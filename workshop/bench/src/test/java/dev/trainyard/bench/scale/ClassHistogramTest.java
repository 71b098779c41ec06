package dev.trainyard.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class ClassHistogramTest {

    private static final String BEFORE = """
            4711:
             num     #instances         #bytes  class name (module)
            -------------------------------------------------------
               1:         14238        1283056  [B (java.base@17.0.15)
               2:         12000         288000  java.lang.String (java.base@17.0.15)
               3:            10            160  dev.trainyard.scaler.loop.PendingTimes
            Total        118931        7340832
            """;

    @Test
    void readsSizesAndTheTotal() {
        var histogram = ClassHistogram.parse(BEFORE);

        assertThat(histogram.bytes()).isEqualTo(7_340_832);
        assertThat(histogram.bytesOf())
                .hasSize(3)
                .containsEntry("[B", 1_283_056L)
                .containsEntry("dev.trainyard.scaler.loop.PendingTimes", 160L);
    }

    @Test
    void ordersClassesByGrowth() {
        var now = ClassHistogram.parse("""
                   1:         14238        1283000  [B (java.base@17.0.15)
                   2:         12001         288024  java.lang.String (java.base@17.0.15)
                   3:            90           1440  dev.trainyard.scaler.loop.PendingTimes
                   4:             4             64  java.util.UUID (java.base@17.0.15)
                Total        118931        7340832
                """);

        assertThat(now.growthSince(ClassHistogram.parse(BEFORE), 2))
                .containsExactly(
                        new ClassGrowth("dev.trainyard.scaler.loop.PendingTimes", 1280),
                        new ClassGrowth("java.util.UUID", 64));
    }

    @Test
    void countsTheObjectsOfARunningJvm() {
        var kept = new ArrayList<Kept>();
        for (int i = 0; i < 1000; i++) {
            kept.add(new Kept());
        }

        var histogram = ClassHistogram.of(ProcessHandle.current().pid());

        assertThat(histogram.bytesOf()).containsEntry(Kept.class.getName(), 16L * kept.size());
    }

    @Test
    void explainsThatAProcessHasNoHistogram() {
        assertThatThrownBy(() -> ClassHistogram.parse("4711: Unable to open socket file\n"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("Unable to open socket file");
    }

    /** An object of 16 bytes. */
    private static final class Kept {}
}
