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
        assertThat(names)
                .allSatisfy(name -> assertThat(table.find(name.getBytes(US_ASCII), 0, name.length()))
                        .isSameAs(table.find(name))
                        .isNotNull());
    }
}
