package dev.trainyard.scaler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierStatus.ReclaimedJobStatus;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.loop.ReclaimedJobs.Reclaim;
import dev.trainyard.scaler.observe.PodOwner;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReclaimedJobsTest {

    private static final String NOON = Objects.NOON.toString();

    @Test
    void addsReclaimsOfAJobToItsNumbers() {
        var before =
                List.of(new ReclaimedJobStatus("team", "Job", "train", "uid-train", 2, 3600, "2026-01-01T09:00:00Z"));

        assertThat(ReclaimedJobs.after(
                        before,
                        List.of(
                                reclaim("train", 100, 0),
                                reclaim("train", 20, 1),
                                new Reclaim(new PodOwner("other", "Job", "train", "uid-other"), 1, 8, Objects.NOON))))
                .containsExactly(
                        new ReclaimedJobStatus("team", "Job", "train", "uid-train", 4, 3720, "2026-01-01T12:00:01Z"),
                        new ReclaimedJobStatus("other", "Job", "train", "uid-other", 1, 8, NOON));
    }

    @Test
    void keepsTheTwentyNewestJobs() {
        var reclaims = IntStream.range(0, 30)
                .mapToObj(number -> reclaim("train-" + number, 1, number))
                .toList();

        var jobs = ReclaimedJobs.after(null, reclaims);

        assertThat(jobs)
                .hasSize(20)
                .first()
                .extracting(ReclaimedJobStatus::name)
                .isEqualTo("train-29");
        assertThat(jobs).last().extracting(ReclaimedJobStatus::name).isEqualTo("train-10");
    }

    /** Another writer may have changed the status. */
    @Test
    @SuppressWarnings("NullAway")
    void leavesOutMalformedJobs() {
        var before = List.of(
                new ReclaimedJobStatus("team", "Job", null, "uid", 2, 3600, NOON),
                new ReclaimedJobStatus("team", "Job", "train", null, 2, 3600, NOON),
                new ReclaimedJobStatus("team", "Job", "train", "uid-train", 2, 3600, null));

        assertThat(ReclaimedJobs.after(before, List.of(reclaim("other", 1, 0))))
                .extracting(ReclaimedJobStatus::name)
                .containsExactly("other");
    }

    @Test
    void countsJobsOfOneNameApart() {
        var earlier = new ReclaimedJobStatus("team", "Job", "train", "uid-earlier", 2, 3600, "2026-01-01T09:00:00Z");

        assertThat(ReclaimedJobs.after(List.of(earlier), List.of(reclaim("train", 100, 0))))
                .containsExactly(new ReclaimedJobStatus("team", "Job", "train", "uid-train", 1, 100, NOON), earlier);
    }

    @Test
    void keepsFewJobsUntilTheStatusCanBeWritten() {
        var jobs = new ReclaimedJobs();
        for (int number = 0; number < 30; number++) {
            evict(jobs, "train-" + number);
        }
        evict(jobs, "train-10");

        assertThat(jobs.unwritten().get("t"))
                .hasSize(20)
                .last()
                .satisfies(reclaim -> assertThat(reclaim.pods()).isEqualTo(2))
                .extracting(reclaim -> reclaim.owner().name())
                .isEqualTo("train-10");
    }

    @Test
    void anOwnerWithLongTextsCountsAsNone() {
        assertThat(PodOwner.of(pod("j".repeat(253), "uid"))).isPresent();
        assertThat(PodOwner.of(pod("j".repeat(254), "uid"))).isEmpty();
        assertThat(PodOwner.of(pod("job", "u".repeat(64)))).isEmpty();
    }

    private static void evict(ReclaimedJobs jobs, String job) {
        var pod = pod(job, "uid-" + job);
        jobs.begin(List.of(pod));
        var testCluster = new SnapshotFixture()
                .pool("spot", Objects.spot(1))
                .tier("t", "spot")
                .node("node", "spot");
        testCluster.pods.add(pod);
        testCluster.snapshot().nodes().get(0).trainingPods().forEach(evicted -> jobs.note(evicted, Objects.NOON));
    }

    private static Pod pod(String job, String ownerUid) {
        return new PodBuilder(Objects.running("pod-of-" + job, "node", "nvidia.com/gpu", "1"))
                .editMetadata()
                .addToAnnotations(Names.TIER, "t")
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withController(true)
                        .withKind("Job")
                        .withName(job)
                        .withUid(ownerUid)
                        .build())
                .endMetadata()
                .build();
    }

    private static Reclaim reclaim(String job, long gpuSeconds, int second) {
        return new Reclaim(
                new PodOwner("team", "Job", job, "uid-" + job),
                1,
                gpuSeconds,
                Objects.NOON.plus(Duration.ofSeconds(second)));
    }
}
