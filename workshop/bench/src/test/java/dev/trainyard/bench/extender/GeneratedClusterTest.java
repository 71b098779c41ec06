package dev.trainyard.bench.extender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedClusterTest {

    private static final int SIZE = 1200; // large enough for more than one file

    @TempDir
    Path directory;

    @Test
    void everyNodeIsOfAPoolAndHasRoomForAnyOfThePodsAndManyArePartlyUsed() {
        new GeneratedCluster(SIZE, 7).write(directory);
        var files = ResourceFiles.read(directory);
        var catalogue = FileConfiguration.of(files).current();
        var used = new HashMap<String, Long>();
        for (var pod : files.ofKind(Pod.class)) {
            used.merge(pod.getSpec().getNodeName(), PodReader.shapeOf(pod).gpus(), Long::sum);
        }
        var left = new HashSet<Long>();
        var pools = new HashSet<String>();

        var nodes = files.ofKind(Node.class);

        assertThat(catalogue.problems()).isEmpty();
        assertThat(nodes).hasSize(SIZE).allSatisfy(node -> {
            var shape = NodeReader.shapeOf(node);
            var pool = catalogue.poolOf(shape).orElseThrow();
            long gpus = shape.allocatable().gpus();
            assertThat(gpus).isEqualTo(pool.promisedGpus());
            pools.add(pool.name());
            left.add(gpus - used.getOrDefault(node.getMetadata().getName(), 0L));
        });
        assertThat(pools).hasSize(4);
        assertThat(left).containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(used.size()).isBetween(SIZE / 2, SIZE * 7 / 10);
    }

    @Test
    void oneNodeInAHundredIsOnItsWayOut() {
        var fleet = new GeneratedCluster(SIZE, 7);

        assertThat(fleet.names().stream().filter(fleet::isRemoving)).hasSize(SIZE / 100);
    }
}
