package dev.trainyard.extender.node;

import static dev.trainyard.extender.ClusterFixture.inPhase;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static dev.trainyard.extender.ClusterFixture.removing;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.gpu.GpuRoom;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A check that the index always equals one that is built from the current objects, after any events in any order. */
class NodeIndexConsistencyTest {

    private static final int EVENTS = 12_000;
    private static final int GENERATION = EVENTS / 8;
    private static final List<String> POOLS = List.of("cpu", "light-spot", "heavy-spot", "unknown");
    private static final List<String> PHASES = List.of("Pending", "Running", "Succeeded", "Failed");

    private final Random random = new Random(Long.getLong("trainyard.seed", 42));
    private final NodeIndex index = new NodeIndex(InstantSource.system());
    private final Map<String, Node> nodes = new HashMap<>();
    private final Map<String, Pod> pods = new HashMap<>();
    private Catalogue catalogue = Catalogue.EMPTY;

    private int names;
    private int firstName;

    /** With few names, each node has many pods. With many names, the table is rebuilt again and again with removed nodes in it. */
    @ParameterizedTest
    @ValueSource(ints = {12, 200})
    void equalsOneThatIsMadeFromScratch(int names) {
        this.names = names;
        for (int event = 0; event < EVENTS; event++) {
            happen();
            if (event % GENERATION == GENERATION - 1) {
                replaceHalf();
            }
            if (event % (5 * names) == 0 || event == EVENTS - 1) {
                check("after event %d, seed %s".formatted(event, System.getProperty("trainyard.seed", "42")));
            }
        }
    }

    private void check(String when) {
        assertThat(index.snapshot()).as(when).isEqualTo(fromScratch());
        assertThat(index.size()).as(when).isEqualTo(nodes.size());
        assertThat(nodes.keySet().stream().map(name -> index.node(name).slot()))
                .as(when)
                .doesNotHaveDuplicates()
                .allSatisfy(slot -> assertThat(slot).isBetween(0, 4 * names));
    }

    /** Replaces machines. The new ones have new names. */
    private void replaceHalf() {
        for (int number = firstName; number < firstName + names / 2; number++) {
            removeNode("node-" + number);
        }
        firstName += names / 2;
    }

    private String randomName() {
        return "node-" + (firstName + random.nextInt(names));
    }

    private void happen() {
        switch (random.nextInt(20)) {
            case 0 -> removeNode(randomName());
            case 1, 2, 3, 4 -> putNode(randomNode());
            case 5, 6, 7 -> removePod("pod-" + random.nextInt(4 * names));
            case 8 -> configure();
            default -> putPod(randomPod());
        }
    }

    private void putNode(Node node) {
        nodes.put(node.getMetadata().getName(), node);
        index.put(node);
    }

    private void removeNode(String name) {
        nodes.remove(name);
        index.remove(node(name, 0, 0)); // an informer that keeps only names sends nothing else
    }

    private void putPod(Pod pod) {
        pods.put(pod.getMetadata().getName(), pod);
        index.put(pod);
    }

    private void removePod(String name) {
        pods.remove(name);
        index.remove(pod(name, 0, 0));
    }

    private void configure() {
        catalogue = random.nextBoolean() ? ClusterFixture.CATALOGUE : Catalogue.EMPTY;
        index.configure(catalogue);
    }

    private Node randomNode() {
        var node = node(randomName(), POOLS.get(random.nextInt(POOLS.size())), random.nextInt(64), random.nextInt(5));
        return random.nextInt(10) == 0 ? removing(node) : node;
    }

    private Pod randomPod() {
        var pod = inPhase(
                PHASES.get(random.nextInt(PHASES.size())),
                pod("pod-" + random.nextInt(4 * names), random.nextInt(8), random.nextInt(3)));
        return random.nextInt(5) == 0 ? pod : on(randomName(), pod);
    }

    /** Computes the expected index a second time, without the code of the index. */
    private Map<String, IndexedState> fromScratch() {
        return nodes.values().stream().collect(toMap(node -> node.getMetadata().getName(), this::state));
    }

    private IndexedState state(Node node) {
        var shape = NodeReader.shapeOf(node);
        var there = pods.values().stream()
                .filter(pod -> shape.name().equals(pod.getSpec().getNodeName()))
                .filter(pod ->
                        !List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()))
                .map(pod -> PodReader.shapeOf(pod).requests())
                .toList();
        var free = there.stream().reduce(shape.allocatable(), Resources::minus);
        var gpus = new int[(int) shape.allocatable().gpus()];
        Arrays.fill(gpus, 0, (int) Math.max(0, free.gpus()), 1000);
        var pool = catalogue.poolOf(shape);
        var look = new NodeProfile(
                pool.orElse(null),
                node.getMetadata().getAnnotations().containsKey("trainyard.dev/removing"),
                pool.map(Pool::gpu).orElse(GpuKind.UNKNOWN),
                shape.allocatable().gpus() > 0);
        return new IndexedState(
                look,
                shape.allocatable().get("cpu"),
                free.get("cpu"),
                shape.allocatable().get("memory"),
                free.get("memory"),
                GpuRoom.left(gpus));
    }
}
