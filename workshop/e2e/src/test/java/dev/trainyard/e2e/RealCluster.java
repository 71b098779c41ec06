package dev.trainyard.e2e;

import dev.trainyard.e2e.ClusterState.JobSummary;
import dev.trainyard.e2e.ClusterState.PoolSummary;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A namespace of the tests' real cluster with Trainyard. Kubernetes' own controller deletes pods within about a minute after their node
 * is removed. This class therefore remembers succeeded pods, so that the result does not depend on the time of the check.
 */
final class RealCluster implements StoryCluster {

    private final TestCluster testCluster;
    private final TrainingGround ground;
    private final StoryPools story;
    private final List<String> priorityClasses = new ArrayList<>();
    private final Map<String, Pod> succeeded = new HashMap<>();

    RealCluster(TestCluster testCluster) {
        this.testCluster = testCluster;
        this.ground = TrainingGround.open(testCluster);
        this.story = new StoryPools(testCluster, ground);
        RegisteredWebhook.awaitCalledFor(testCluster.client(), ground.namespace());
    }

    @Override
    public void create(String yaml) {
        var objects = ResourceFiles.read("scenario", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
        objects.ofKind(TrainingPool.class)
                .forEach(pool -> story.pools().add(pool.getMetadata().getName()));
        objects.ofKind(TrainingTier.class)
                .forEach(tier -> story.tiers().add(tier.getMetadata().getName()));
        objects.ofKind(PriorityClass.class)
                .forEach(priority -> priorityClasses.add(priority.getMetadata().getName()));
        ground.kubectl("create", "-f", ground.file(yaml));
    }

    @Override
    public void scale(String deployment, int replicas) {
        ground.kubectl("scale", "deployment/" + deployment, "--replicas=" + replicas);
    }

    @Override
    public void reclaimMachines(String pool) {
        story.vanish(pool);
        // Without this command, Kubernetes' own controller would remove pods of removed nodes only after a minute.
        ground.kubectl("delete", "pods", "--all", "--force", "--grace-period=0");
    }

    @Override
    public void await(String what, Predicate<ClusterState> holds) {
        try {
            TrainingGround.awaitTrue(what, () -> holds.test(standing()));
        } catch (AssertionError e) {
            throw new AssertionError(
                    "on the control plane: %s. Instead:%n%s%nThe scaler:%n%s"
                            .formatted(e.getMessage(), standing(), TrainingGround.scalerOf(testCluster, story.pools())),
                    e);
        }
    }

    @Override
    public ClusterState standing() {
        var jobs = new TreeMap<String, JobSummary>();
        for (var job : testCluster
                .client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(ground.namespace())
                .list()
                .getItems()) {
            jobs.put(job.getMetadata().getName(), standing(job));
        }
        var pools = new TreeMap<String, PoolSummary>();
        for (var pool : story.pools()) {
            pools.put(
                    pool, PoolSummary.of(ground.pool(pool), ground.nodesOf(pool).size(), story.ordered(pool)));
        }
        return new ClusterState(jobs, ClusterState.tell(pods(), story.pools(), this::whyWaiting), pools);
    }

    private Collection<Pod> pods() {
        var pods = new HashMap<>(succeeded);
        for (var pod : ground.pods()) {
            pods.put(pod.getMetadata().getUid(), pod);
            if (pod.getStatus().getPhase().equals("Succeeded")
                    && pod.getMetadata().getDeletionTimestamp() == null) {
                succeeded.put(pod.getMetadata().getUid(), pod);
            }
        }
        return pods.values();
    }

    private static JobSummary standing(Job job) {
        var status = job.getStatus();
        return new JobSummary(
                Optional.ofNullable(status.getSucceeded()).orElse(0),
                Optional.ofNullable(status.getFailed()).orElse(0),
                Optional.ofNullable(status.getConditions()).orElse(List.of()).stream()
                        .filter(condition -> condition.getStatus().equals("True")
                                && List.of("Complete", "Failed").contains(condition.getType()))
                        .map(condition -> condition.getType())
                        .findFirst()
                        .orElse("running"));
    }

    private Optional<String> whyWaiting(Pod pod) {
        return testCluster.client().resources(Event.class).inNamespace(ground.namespace()).list().getItems().stream()
                .filter(event -> "NotPlaceable".equals(event.getReason())
                        && pod.getMetadata()
                                .getUid()
                                .equals(event.getRegarding().getUid()))
                .max(Comparator.comparing(event -> event.getEventTime().getTime()))
                .map(Event::getNote);
    }

    @Override
    public void close() {
        story.close();
        priorityClasses.forEach(name -> ground.kubectl("delete", "priorityclass", name));
        ground.close();
    }
}
