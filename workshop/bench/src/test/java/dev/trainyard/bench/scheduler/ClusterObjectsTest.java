package dev.trainyard.bench.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterObjectsTest {

    private final ClusterObjects objects = new ClusterObjects();

    @Test
    void mostPodsThatAreAllowedLeaveAQuarterOfTheGpusFree() {
        assertThat(ClusterObjects.gpus(3000)).isEqualTo(1000 * ClusterObjects.GPUS_PER_NODE * 3 / 4);
    }

    @Test
    void everyNodeWillDoForEveryPod() {
        var nodes = IntStream.range(0, 4).mapToObj(objects::node).toList();
        assertThat(nodes)
                .extracting(node -> node.getMetadata().getLabels().get(Names.POOL))
                .doesNotHaveDuplicates();

        for (int number = 0; number < 16; number++) {
            var pod = objects.pod("training", number);
            var terms = pod.getSpec()
                    .getAffinity()
                    .getNodeAffinity()
                    .getRequiredDuringSchedulingIgnoredDuringExecution()
                    .getNodeSelectorTerms();
            assertThat(nodes).allSatisfy(node -> {
                assertThat(terms).anyMatch(term -> matches(term, node));
                assertThat(node.getSpec().getTaints())
                        .allSatisfy(taint -> assertThat(pod.getSpec().getTolerations())
                                .anyMatch(toleration -> toleration.getKey().equals(taint.getKey())
                                        && toleration.getValue().equals(taint.getValue())));
            });
        }
    }

    @Test
    void podsOfTwoTiersTakeTurns() {
        var tiers = IntStream.range(0, 32)
                .mapToObj(number -> objects.pod("training", number)
                        .getMetadata()
                        .getAnnotations()
                        .get(Names.TIER))
                .distinct();

        assertThat(tiers).containsExactly("light-first", "heavy-first");
        assertThat(ClusterObjects.policy()).contains("name: light-first", "name: heavy-first");
    }

    @Test
    void saysHowManyPodsThereIsRoomFor() {
        assertThatThrownBy(() -> options(1000, 3001))
                .hasMessage("--pods: 3001 is not a number from 2 to 3000, which is 3 for each of the 1000 nodes; "
                        + "more pods would not fit");
        assertThatThrownBy(() -> options(0, 1)).hasMessage("--nodes: 0 is not a number from 1 to 5000");
    }

    private static SchedulerBenchOptions options(int nodes, int pods) {
        return new SchedulerBenchOptions(
                MeasuredProfile.EXTENDER, List.of(), List.of(), List.of(), "", "", nodes, pods, 3, 0);
    }

    private static boolean matches(NodeSelectorTerm term, Node node) {
        return term.getMatchExpressions().stream()
                .allMatch(requirement -> requirement
                        .getValues()
                        .contains(node.getMetadata().getLabels().get(requirement.getKey())));
    }
}
