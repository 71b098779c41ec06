package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Machines are launched in the needed number and kind, and removed again. */
@WithTestCluster
@Order(1)
class ScaleUpIT {

    private static final String ONE_GPU = "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"1\"";
    private static final String EIGHT_GPUS = "cpu: \"90\", memory: 800Gi, nvidia.com/gpu: \"8\"";

    @Test
    void fortyAtOnceAreOneRequestForFortyAndThenNone(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("forty", "spot", "", ONE_GPU, "max: 0")
                .tier("forty", "forty")) {
            // A Job's pods appear one after another. The scaler must have seen all of them before it may launch a
            // machine.
            ground.kubectl("create", "-f", ground.job("forty", 1, 40, "trainyard.dev/tier: forty"));
            TrainingGround.awaitTrue(
                    "forty pods have an Event that says why they wait",
                    () -> podsWithReason(testCluster, ground) == 40);

            ground.kubectl("patch", "trainingpool", "forty", "--type=merge", "-p", "{\"spec\":{\"max\":40}}");

            ground.awaitSucceeded("forty", 40);
            ground.awaitPoolEmpty("forty");

            assertThat(story.growths("forty"))
                    .singleElement()
                    .asString()
                    .contains("40 agents (current capacity: 0 agents)");
            assertThat(story.ordered("forty")).isEqualTo(40);
        }
    }

    @Test
    @Tag("slow")
    void fiveHundredPodsRunOnThreePoolsEachOnMachinesOfItsKind(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("many-cpu", "on-demand", "", "cpu: \"32\", memory: 200Gi", "")
                .pool("many-one", "spot", "", EIGHT_GPUS, "")
                .pool("many-four", "spot", "", EIGHT_GPUS, "")
                .tier("many-cpu", "many-cpu")
                .tier("many-one", "many-one")
                .tier("many-four", "many-four")) {
            ground.kubectl("create", "-f", cpuJob(ground, 250));
            ground.kubectl("create", "-f", ground.job("one", 1, 200, "trainyard.dev/tier: many-one"));
            ground.kubectl("create", "-f", ground.job("four", 4, 50, "trainyard.dev/tier: many-four"));

            ground.awaitSucceeded("cpu", 250);
            ground.awaitSucceeded("one", 200);
            ground.awaitSucceeded("four", 50);
            for (var pool : List.of("many-cpu", "many-one", "many-four")) {
                ground.awaitPoolEmpty(pool);
            }

            // Fewer machines are enough if early training ends before late pods start.
            assertThat(story.ordered("many-cpu")).isBetween(1L, 8L);
            assertThat(story.ordered("many-one")).isBetween(1L, 25L);
            assertThat(story.ordered("many-four")).isBetween(1L, 25L);
        }
    }

    @Test
    void whenSpotIsNotToBeHadOnDemandIsAskedAsSoonAsThatShows(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("none-spot", "spot", "capacity: 0, failureDelay: 1s", ONE_GPU, "")
                .pool("none-ondemand", "on-demand", "", ONE_GPU, "")
                .tier("none", "none-spot", "none-ondemand")) {
            ground.kubectl("create", "-f", story.deployment("serve", "none", 1));
            TrainingGround.awaitTrue("the pod runs", () -> running(ground).size() == 1);

            assertThat(running(ground).get(0).getSpec().getNodeName()).startsWith("none-ondemand");
            var failed = ground.pool("none-spot").getStatus().conditions().stream()
                    .filter(condition -> condition.type().equals("Provisioning"))
                    .map(condition -> Instant.parse(String.valueOf(condition.lastTransitionTime())))
                    .findFirst()
                    .orElseThrow();
            var asked = Instant.ofEpochMilli(
                    story.cloud("none-ondemand").at("/machines/0/orderedAt").asLong());
            assertThat(Duration.between(failed, asked))
                    .as("from the failure to the next pool; the tier would have waited for two minutes")
                    .isBetween(Duration.ZERO, Duration.ofSeconds(5));
            assertThat(ground.pool("none-spot").getStatus().backOff().kind()).isEqualTo("spot-capacity");
            assertThat(ground.events())
                    .anyMatch(event -> event.startsWith("Fallback: pool none-ondemand grows from 0 to 1"));
        }
    }

    /** Scales the Deployment like a HorizontalPodAutoscaler. */
    @Test
    void machinesFollowTheReplicasOfADeployment(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("replicas", "spot", "", ONE_GPU, "")
                .tier("replicas", "replicas")) {
            ground.kubectl("create", "-f", story.deployment("serve", "replicas", 1));
            TrainingGround.awaitTrue("one replica runs", () -> running(ground).size() == 1);
            ground.kubectl("scale", "deployment/serve", "--replicas=5");
            TrainingGround.awaitTrue("five replicas run", () -> running(ground).size() == 5);
            assertThat(ground.nodesOf("replicas")).hasSize(5);

            ground.kubectl("scale", "deployment/serve", "--replicas=2");

            TrainingGround.awaitTrue(
                    "two machines are left", () -> ground.nodesOf("replicas").size() == 2);
            assertThat(ground.nodesOf("replicas"))
                    .extracting(node -> node.getMetadata().getName())
                    .containsExactlyInAnyOrderElementsOf(running(ground).stream()
                            .map(pod -> pod.getSpec().getNodeName())
                            .toList());
            assertThat(story.ordered("replicas")).isEqualTo(5);
        }
    }

    @Test
    void aGangOfEightGetsItsMachinesOfTwoPoolsWhenBothTogetherHaveThem(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("eight-spot", "spot", "", ONE_GPU, "max: 5")
                .pool("eight-ondemand", "on-demand", "", ONE_GPU, "max: 2")
                .tier("eight", "eight-spot", "eight-ondemand")) {
            var gang = "trainyard.dev/tier: eight, trainyard.dev/gang: ring, trainyard.dev/gang-size: \"8\"";
            ground.kubectl("create", "-f", ground.job("ring", 1, 8, gang));
            TrainingGround.awaitTrue(
                    "it is said why the gang waits",
                    () -> ground.events().stream().anyMatch(event -> event.contains("/ring, because 1 of them")));
            assertThat(story.ordered("eight-spot") + story.ordered("eight-ondemand"))
                    .as("machines for a gang, though one member would find no place")
                    .isZero();

            ground.kubectl("patch", "trainingpool", "eight-ondemand", "--type=merge", "-p", "{\"spec\":{\"max\":3}}");

            ground.awaitSucceeded("ring", 8);
            assertThat(story.ordered("eight-spot")).isEqualTo(5);
            assertThat(story.ordered("eight-ondemand")).isEqualTo(3);
            ground.awaitPoolEmpty("eight-spot");
            ground.awaitPoolEmpty("eight-ondemand");
        }
    }

    @Test
    void whatRanOnSpotMachinesThatVanishedRunsAgainOnOthers(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                .pool("vanishing", "spot", "", ONE_GPU, "")
                .tier("vanishing", "vanishing")) {
            ground.kubectl("create", "-f", story.deployment("serve", "vanishing", 2));
            TrainingGround.awaitTrue("both run", () -> running(ground).size() == 2);
            var before = running(ground).stream()
                    .map(pod -> pod.getSpec().getNodeName())
                    .toList();

            story.vanish("vanishing");
            // Kubernetes' own controller removes pods of removed nodes only after a while.
            ground.kubectl("delete", "pods", "--all", "--force", "--grace-period=0");

            TrainingGround.awaitTrue(
                    "both run again",
                    () -> running(ground).stream()
                                    .filter(pod ->
                                            !before.contains(pod.getSpec().getNodeName()))
                                    .count()
                            == 2);
        }
    }

    private static long podsWithReason(TestCluster testCluster, TrainingGround ground) {
        return testCluster.client().resources(Event.class).inNamespace(ground.namespace()).list().getItems().stream()
                .filter(event -> "NotPlaceable".equals(event.getReason()))
                .map(event -> event.getRegarding().getName())
                .distinct()
                .count();
    }

    private static List<Pod> running(TrainingGround ground) {
        return ground.pods().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running")
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    private static String cpuJob(TrainingGround ground, int pods) {
        return ground.file("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: cpu}
                spec:
                  completions: %d
                  parallelism: %d
                  template:
                    metadata: {annotations: {trainyard.dev/tier: many-cpu}}
                    spec:
                      restartPolicy: Never
                      containers: [{name: spark, image: spark, resources: {requests: {cpu: "1"}}}]
                """.formatted(pods, pods));
    }
}
