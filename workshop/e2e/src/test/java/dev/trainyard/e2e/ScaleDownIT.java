package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Underused nodes are drained, but pods that must not be disturbed stay. */
@WithTestCluster
@Order(2)
class ScaleDownIT {

    private static final String POOL = "drained";

    /** Uses two training pods, each alone on a machine that has capacity for two. */
    @Test
    void aMachineIsEmptiedOnlyWhenBudgetAndMarksAllowIt(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool(POOL, "on-demand", "", "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"2\"", "")
                .tier(POOL, POOL)) {
            ground.kubectl("create", "-f", budget(ground, 2));
            ground.kubectl("create", "-f", story.deployment("a", POOL, 1));
            TrainingGround.awaitTrue("the first runs", () -> running(ground).size() == 1);
            ground.kubectl("create", "-f", story.deployment("filler", POOL, 1));
            TrainingGround.awaitTrue(
                    "its machine is full", () -> running(ground).size() == 2);
            ground.kubectl("create", "-f", story.deployment("b", POOL, 1));
            TrainingGround.awaitTrue(
                    "another has a machine of its own", () -> running(ground).size() == 3);
            ground.kubectl("delete", "deployment/filler");
            TrainingGround.awaitTrue(
                    "each is alone",
                    () -> running(ground).size() == 2 && nodes(ground).size() == 2);

            awaitReason(
                    testCluster,
                    ground,
                    "disruption budget %s/serve allows the eviction of 0 pods".formatted(ground.namespace()));

            ground.kubectl("annotate", "pods", "--all", "trainyard.dev/do-not-disrupt=true");
            ground.kubectl("patch", "pdb", "serve", "--type=merge", "-p", "{\"spec\":{\"minAvailable\":1}}");
            awaitReason(testCluster, ground, "is marked trainyard.dev/do-not-disrupt");
            assertThat(ground.nodesOf(POOL))
                    .noneMatch(node -> node.getSpec().getTaints().stream()
                            .anyMatch(taint -> taint.getKey().equals(Names.REMOVING)));
            assertThat(nodes(ground)).hasSize(2);

            ground.kubectl("annotate", "pods", "--all", "trainyard.dev/do-not-disrupt-");
            TrainingGround.awaitTrue(
                    "both are on one machine",
                    () -> running(ground).size() == 2 && nodes(ground).size() == 1);
            assertThat(story.ordered(POOL)).as("nothing is bought for it").isEqualTo(2);
        }
    }

    /** Simulates {@code kubectl drain} while the scaler removes a node. */
    @Test
    void aNodeThatSomebodyElseCordonsDuringItsRemovalIsLeftToThem(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("claimed", "on-demand", "", "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"1\"", "")
                .tier("claimed", "claimed")) {
            ground.kubectl("create", "-f", story.deployment("stays", "claimed", 1));
            TrainingGround.awaitTrue("it runs", () -> running(ground).size() == 1);
            var node = nodes(ground).iterator().next();

            ground.kubectl("cordon", node);
            ground.kubectl(
                    "taint", "node", node, "example.com/theirs=x:NoSchedule", Names.REMOVING + "=idle:NoSchedule");
            ground.kubectl("annotate", "node", node, Names.REMOVING + "=idle, " + Instant.now() + ", taint");

            TrainingGround.awaitTrue(
                    "the scaler takes back its own",
                    () -> ground.nodesOf("claimed").stream()
                            .allMatch(claimed -> claimed.getSpec().getTaints().stream()
                                            .noneMatch(taint -> taint.getKey().equals(Names.REMOVING))
                                    && !claimed.getMetadata().getAnnotations().containsKey(Names.REMOVING)));
            assertThat(ground.nodesOf("claimed")).singleElement().satisfies(claimed -> {
                assertThat(claimed.getSpec().getUnschedulable()).isTrue();
                assertThat(claimed.getSpec().getTaints())
                        .extracting(taint -> taint.getKey())
                        .contains("example.com/theirs");
            });
            ground.kubectl("uncordon", node);
        }
    }

    private static void awaitReason(TestCluster testCluster, TrainingGround ground, String words) {
        var nodes = ground.nodesOf(POOL).stream()
                .map(node -> node.getMetadata().getName())
                .collect(Collectors.toSet());
        TrainingGround.awaitTrue(
                "a machine stays, because " + words,
                () -> testCluster.client().resources(Event.class).inAnyNamespace().list().getItems().stream()
                        .anyMatch(event -> event.getRegarding() != null
                                && nodes.contains(event.getRegarding().getName())
                                && String.valueOf(event.getNote()).contains(words)));
    }

    private static List<Pod> running(TrainingGround ground) {
        return ground.pods().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running")
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    private static Set<String> nodes(TrainingGround ground) {
        return running(ground).stream().map(pod -> pod.getSpec().getNodeName()).collect(Collectors.toSet());
    }

    private static String budget(TrainingGround ground, int minAvailable) {
        return ground.file("""
                apiVersion: policy/v1
                kind: PodDisruptionBudget
                metadata: {name: serve}
                spec: {minAvailable: %d, selector: {matchLabels: {story: serve}}}
                """.formatted(minAvailable));
    }
}
