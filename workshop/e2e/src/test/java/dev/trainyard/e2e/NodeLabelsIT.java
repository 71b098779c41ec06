package dev.trainyard.e2e;

import dev.trainyard.workshop.cluster.TestCluster;
import org.junit.jupiter.api.Test;

/** Users can select nodes by the labels that the scaler sets. */
@WithTestCluster
class NodeLabelsIT {

    @Test
    void kubectlShowsThePoolAndTheCapacityTypeOfANode(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("labelled", "spot", "", "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"1\"", "")
                .tier("labelled", "labelled")) {
            ground.kubectl("create", "-f", story.deployment("serve", "labelled", 1));

            TrainingGround.awaitTrue(
                    "a node shows its pool and capacity type",
                    () -> ground.kubectl("get", "nodes", "-L", "trainyard.dev/pool,trainyard.dev/capacity-type")
                            .lines()
                            .anyMatch(line -> line.matches("labelled-\\S+ .* labelled +spot\\s*")));
        }
    }
}
