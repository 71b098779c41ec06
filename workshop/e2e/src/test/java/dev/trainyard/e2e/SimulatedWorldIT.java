package dev.trainyard.e2e;

import dev.trainyard.cli.LogSuppression;
import dev.trainyard.workshop.cluster.TestCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation against a real control plane: the same small stories end in the same state. On the control plane all of them run at the
 * same time, each in its own namespace and on its own pools.
 */
@WithTestCluster
@Tag("slow")
@ResourceLock(WithTestCluster.WHOLE) // pods of other tests would use the machines
class SimulatedWorldIT {

    /** @param end the final state in the format of {@link ClusterState#toString()} */
    private record Story(String name, Consumer<StoryCluster> play, String end) {
        /** Plays the story, then waits for the final state, because status and Events follow the last step only after a moment. */
        void playOn(StoryCluster side) {
            play.accept(side);
            side.await("the end:\n" + end, now -> now.toString().equals(end));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Story> STORIES = List.of(
            new Story(
                    "a job runs on a spot machine, which goes afterwards",
                    side -> {
                        side.create(pool("plain-spot", "spot", "", "")
                                + pool("plain-od", "on-demand", "", "")
                                + tier("plain", "plain-spot", "plain-od")
                                + job("plain", 1, 1, 1, "2s", ""));
                        side.await("it ran", now -> now.isComplete("plain") && now.isEmpty());
                    },
                    """
                    job plain: 1 succeeded, 0 failed, Complete
                    1 pods of plain: Succeeded on plain-spot
                    pool plain-od: 0 nodes, target 0, bought 0, back-off none
                    pool plain-spot: 0 nodes, target 0, bought 1, back-off none
                    """),
            new Story(
                    "what spot has no machines for runs on demand",
                    side -> {
                        side.create(pool("scarce-spot", "spot", "capacity: 0, failureDelay: 1s", "")
                                + pool("scarce-od", "on-demand", "", "")
                                + tier("scarce", "scarce-spot", "scarce-od")
                                + deployment("scarce", 2));
                        side.await(
                                "both run",
                                now -> now.pods("scarce", "Running") == 2
                                        && now.isEmpty("scarce-spot")
                                        && now.has("scarce-od", 2));
                    },
                    """
                    2 pods of scarce: Running on scarce-od
                    pool scarce-od: 2 nodes, target 2, bought 2, back-off none
                    pool scarce-spot: 0 nodes, target 0, bought 0, back-off spot-capacity
                    """),
            new Story(
                    "a pod that no machine is large enough for waits, with the reason",
                    side -> {
                        side.create(pool("small", "spot", "", "")
                                + tier("small", "small")
                                + job("small", 99, 1, 1, "2s", ""));
                        side.await("it is told why", now -> now.areExplained("small") && now.isEmpty());
                    },
                    """
                    job small: 0 succeeded, 0 failed, running
                    1 pods of small: Pending, Unschedulable: asks for nvidia.com/gpu 99; the largest machine of tier small (pool small) has 1
                    pool small: 0 nodes, target 0, bought 0, back-off none
                    """),
            new Story(
                    "a job with more pods than run at a time uses the same machines again",
                    side -> {
                        // Long enough that the first pod still runs when the second needs a machine, even on a slow
                        // computer.
                        side.create(pool("waves", "spot", "", "")
                                + tier("waves", "waves")
                                + job("waves", 1, 5, 2, "15s", ""));
                        side.await("it ran", now -> now.isComplete("waves") && now.isEmpty());
                    },
                    """
                    job waves: 5 succeeded, 0 failed, Complete
                    5 pods of waves: Succeeded on waves
                    pool waves: 0 nodes, target 0, bought 2, back-off none
                    """),
            reclaimed(
                    "a job whose machines are taken back runs again on others, and counts no failure",
                    "taken",
                    tier("taken", "taken"),
                    0),
            reclaimed(
                    "a job that counts reclaims counts each machine that is taken back",
                    "counted",
                    tier("counted", "counted").replace("fallbackAfter", "jobs: {ignoreReclaims: false}, fallbackAfter"),
                    2),
            new Story(
                    "machines follow the replicas of a deployment",
                    side -> {
                        side.create(
                                pool("scaled", "spot", "", "") + tier("scaled", "scaled") + deployment("scaled", 1));
                        side.await("one runs", now -> now.pods("scaled", "Running") == 1);
                        side.scale("scaled", 3);
                        side.await("three run", now -> now.pods("scaled", "Running") == 3);
                        side.scale("scaled", 2);
                        side.await("two are left", now -> now.pods("scaled", "") == 2 && now.has("scaled", 2));
                    },
                    """
                    2 pods of scaled: Running on scaled
                    pool scaled: 2 nodes, target 2, bought 3, back-off none
                    """),
            new Story(
                    "a gang gets machines of both pools, and one that is too large for both gets none",
                    side -> {
                        // Long enough that all three run at the same time, even on a slow computer. Otherwise the last
                        // would use the first one's machine.
                        side.create(pool("gang-spot", "spot", "", "max: 2")
                                + pool("gang-od", "on-demand", "", "max: 1")
                                + tier("gang", "gang-spot", "gang-od")
                                + job("gang", 1, 3, 3, "90s", gang("three", 3))
                                + pool("horde", "spot", "", "max: 2")
                                + tier("horde", "horde")
                                + job("horde", 1, 3, 3, "2s", gang("horde", 3)));
                        side.await(
                                "one ran, and it is told why the other waits",
                                now -> now.isComplete("gang") && now.isEmpty() && now.areExplained("horde"));
                    },
                    """
                    job gang: 3 succeeded, 0 failed, Complete
                    job horde: 0 succeeded, 0 failed, running
                    1 pods of gang: Succeeded on gang-od
                    2 pods of gang: Succeeded on gang-spot
                    3 pods of horde: Pending, Unschedulable: no machine is requested for the 3 pending pods of gang horde, because \
                    1 of them would have no place: pool horde can add 2 of the 3 machines needed (maximum 2)
                    pool gang-od: 0 nodes, target 0, bought 1, back-off none
                    pool gang-spot: 0 nodes, target 0, bought 2, back-off none
                    pool horde: 0 nodes, target 0, bought 0, back-off none
                    """),
            new Story(
                    "of two pods the one of higher priority gets the only machine",
                    side -> {
                        side.create(priority("same-high", 1000)
                                + priority("same-low", 1)
                                + pool("single", "spot", "", "max: 1")
                                + tier("single", "single")
                                + deployment("single-low", "single", 1, "same-low")
                                + deployment("single-high", "single", 1, "same-high"));
                        side.await(
                                "one runs, and it is told why the other waits",
                                now -> now.pods("single-high", "Running") == 1
                                        && now.areExplained("single-low")
                                        && now.has("single", 1));
                    },
                    """
                    1 pods of single-high: Running on single
                    1 pods of single-low: Pending, Unschedulable: pool single can add 0 of the 1 machines needed (maximum 1)
                    pool single: 1 nodes, target 1, bought 1, back-off none
                    """),
            new Story(
                    "nothing is bought for pods of a very low priority",
                    side -> {
                        side.create(priority("same-filler", -100)
                                + pool("filler", "spot", "", "")
                                + tier("filler", "filler")
                                + deployment("filler", "filler", 1, "same-filler"));
                        side.await("it is told why", now -> now.areExplained("filler") && now.isEmpty());
                    },
                    """
                    1 pods of filler: Pending, Unschedulable: its priority of -100 is below the cut-off of -10: no machine is \
                    launched for the pod; the pod may use free room on existing nodes
                    pool filler: 0 nodes, target 0, bought 0, back-off none
                    """));

    private static final ExecutorService PLAYERS = Executors.newFixedThreadPool(STORIES.size());
    private static final Map<Story, Future<?>> REAL = new HashMap<>();

    @BeforeAll
    static void playOnTheControlPlane(TestCluster testCluster) {
        for (var story : STORIES) {
            REAL.put(story, PLAYERS.submit(() -> {
                try (var side = new RealCluster(testCluster)) {
                    story.playOn(side);
                }
                return null;
            }));
        }
    }

    @AfterAll
    static void leave() {
        PLAYERS.shutdownNow();
    }

    static List<Story> stories() {
        return STORIES;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    void endsAsOnTheControlPlane(Story story) throws Exception {
        try (var simulated = new SimulatedCluster()) {
            LogSuppression.during(() -> {
                story.playOn(simulated);
                return simulated.standing();
            });
        }
        REAL.get(story).get();
    }

    /**
     * Returns a pool of machines with one GPU, which boot in a second. On a busy computer a Job may take many seconds to create its next
     * pod. With a shorter {@code idleAfter}, the node would be removed before that, and the pool would launch another one.
     */
    private static String pool(String name, String type, String kwok, String more) {
        return """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {bootDelay: 1s, %s}}
                  capacityType: %s
                  promise: {labels: {story: %s}, allocatable: {cpu: "8", memory: 60Gi, nvidia.com/gpu: "1"}}
                  scaleDown: {idleAfter: 40s, drainGrace: 0s}
                  %s
                ---
                """.formatted(name, kwok, type, name, more);
    }

    private static Story reclaimed(String title, String name, String tier, int failed) {
        return new Story(
                title,
                side -> {
                    // Long enough that both run at the same time, even on a slow computer.
                    side.create(pool(name, "spot", "", "") + tier + job(name, 1, 2, 2, "2m", ""));
                    side.await("both run", now -> now.pods(name, "Running") == 2);
                    side.reclaimMachines(name);
                    side.await("it ran", now -> now.isComplete(name) && now.isEmpty());
                },
                """
                job %1$s: 2 succeeded, %2$d failed, Complete
                2 pods of %1$s: Succeeded on %1$s
                pool %1$s: 0 nodes, target 0, bought 4, back-off none
                """.formatted(name, failed));
    }

    private static String tier(String name, String... pools) {
        return """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s], fallbackAfter: 2m}
                ---
                """.formatted(name, String.join(", ", pools));
    }

    private static String priority(String name, int value) {
        return """
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: %s}
                value: %d
                ---
                """.formatted(name, value);
    }

    private static String gang(String name, int size) {
        return ", trainyard.dev/gang: %s, trainyard.dev/gang-size: \"%d\"".formatted(name, size);
    }

    /**
     * Returns a Job in the tier of its name.
     *
     * @param gpus GPUs of each pod
     * @param runs duration of each pod
     * @param annotations annotations of pods, each after a comma
     */
    private static String job(
            String name, int gpus, int completions, int parallelism, String runs, String annotations) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: %s}
                spec:
                  completions: %d
                  parallelism: %d
                  template:
                    metadata: {annotations: {trainyard.dev/tier: %s, trainyard.dev/simulated-duration: %s%s}}
                    spec:
                      restartPolicy: Never
                      containers: [{name: %s, image: train, resources: {limits: {nvidia.com/gpu: %d}}}]
                ---
                """.formatted(name, completions, parallelism, name, runs, annotations, name, gpus);
    }

    /** Returns a Deployment of one-GPU pods in the tier of its name. */
    private static String deployment(String name, int replicas) {
        return deployment(name, name, replicas, "");
    }

    private static String deployment(String name, String tier, int replicas, String priorityClass) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %s}
                spec:
                  replicas: %d
                  selector: {matchLabels: {app: %s}}
                  template:
                    metadata: {labels: {app: %s}, annotations: {trainyard.dev/tier: %s}}
                    spec:
                      terminationGracePeriodSeconds: 1
                      priorityClassName: "%s"
                      containers: [{name: %s, image: serve, resources: {limits: {nvidia.com/gpu: 1}}}]
                ---
                """.formatted(name, replicas, name, name, tier, priorityClass, name);
    }
}
