package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.gpu.GpuRoom;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeTableTest {

    private static final IndexedState STATE =
            new IndexedState(new NodeProfile(null, false, GpuKind.UNKNOWN, false), 1, 1, 1, 1, GpuRoom.NONE);

    @Test
    void numberedMachinesOfManyPoolsAreFoundWithFewProbes() {
        var table = new NodeTable();
        var names = List.of("k8s-heavy-spot-%05d", "k8s-heavy-ondemand-%05d", "aks-gpu-vmss%06d", "ip-10-0-%d.internal")
                .stream()
                .flatMap(pattern -> IntStream.range(0, 1250).mapToObj(pattern::formatted))
                .toList();
        names.forEach(name -> table.put(name, STATE));

        long probes = names.stream().mapToLong(table::probes).sum();
        assertThat((double) probes / names.size()).isLessThan(2);
        var joined = String.join("", names).getBytes(US_ASCII);
        assertThat(table.find(joined, ends(names), names.size()))
                .containsExactlyElementsOf(names.stream().map(table::find).toList());
        assertThat(names)
                .allSatisfy(name -> assertThat(table.find(name.getBytes(US_ASCII), 0, name.length()))
                        .isSameAs(table.find(name))
                        .isNotNull());
    }

    /** Returns where each name starts and ends in all names, joined. */
    private static int[] ends(List<String> names) {
        var ends = new int[2 * names.size()];
        int end = 0;
        for (int i = 0; i < names.size(); i++) {
            ends[2 * i] = end;
            end += names.get(i).length();
            ends[2 * i + 1] = end;
        }
        return ends;
    }
}
