package dev.trainyard.extender.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Pod data outside {@link PodKind} must not matter to the filter. */
class PodKindTest {

    private record Question(PodKind pod, NodeProfile node) {}

    @Test
    void podsOfOneKindAreJudgedTheSame() {
        for (var cpuPods : CpuPodsOnGpuNodes.values()) {
            var filter = new Filter(InstantSource.system());
            var catalogue = ClusterFixture.CATALOGUE.with(cpuPods);
            Map<Question, Optional<FilterRefusal>> answers = new HashMap<>();
            for (var pod : pods()) {
                for (var node : looks()) {
                    var facts = PodFacts.of(pod);
                    var answer = filter.refusal(TieredPod.of(facts, catalogue), node);
                    var before = answers.putIfAbsent(new Question(PodKind.of(facts), node), answer);
                    assertThat(answer).as("%s on %s", facts, node).isEqualTo(before == null ? answer : before);
                }
            }
            assertThat(answers.values()).contains(Optional.empty()).hasSizeGreaterThan(100);
        }
    }

    private static List<Pod> pods() {
        var pods = new ArrayList<Pod>();
        for (var tier : new String[] {"", "heavy", "deleted-tier"}) {
            for (int gpus : new int[] {0, 1, 4}) {
                var pod =
                        tier.isEmpty() ? ClusterFixture.pod("pod", 2, gpus) : ClusterFixture.pod("pod", tier, 2, gpus);
                pods.add(pod);
                pods.add(ClusterFixture.named(pod, "node-1"));
                pods.add(ClusterFixture.annotated(pod, "trainyard.dev/gpu-product", "V100|A100"));
                pods.add(ClusterFixture.annotated(pod, "trainyard.dev/gpu-memory", "24Gi"));
                pods.add(ClusterFixture.annotated(pod, "trainyard.dev/gpu-memory", "much"));
                if (gpus == 0) {
                    pods.add(ClusterFixture.annotated(pod, "trainyard.dev/gpu-milli", "500"));
                }
            }
        }
        return pods;
    }

    private static Set<NodeProfile> looks() {
        var nodes = new ArrayList<Node>();
        for (var pool : new String[] {"", "cpu", "heavy-spot", "light-spot", "v100"}) {
            for (int gpus : new int[] {0, 1, 4}) {
                var name = "node-" + nodes.size();
                var node =
                        pool.isEmpty() ? ClusterFixture.node(name, 8, gpus) : ClusterFixture.node(name, pool, 8, gpus);
                nodes.add(node);
                nodes.add(named(ClusterFixture.removing(node), name + "-removing"));
                nodes.add(named(
                        ClusterFixture.labelled(node, "nvidia.com/gpu.product", "Tesla-V100-PCIE-32GB"),
                        name + "-labelled"));
            }
        }
        var index = ClusterFixture.index(nodes.toArray(Node[]::new));
        nodes.forEach(node -> index.put(ClusterFixture.on(
                node.getMetadata().getName(),
                ClusterFixture.pod("on-" + node.getMetadata().getName(), 1, 0))));
        return index.snapshot().values().stream().map(IndexedState::look).collect(Collectors.toSet());
    }

    private static Node named(Node node, String name) {
        var copy = new NodeBuilder(node);
        return copy.editMetadata().withName(name).endMetadata().build();
    }
}
