package dev.trainyard.scaler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingTierStatus.ReclaimedJobStatus;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.loop.ReclaimedJobs.Reclaim;
import dev.trainyard.scaler.observe.PodOwner;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReclaimedJobsTest {

    private static final String NOON = Objects.NOON.toString();

    @Test
    void addsReclaimsOfAJobToItsNumbers() {
        var before = List.of(new ReclaimedJobStatus("team", "Job", "train", 2, 3600, "2026-01-01T09:00:00Z"));

        assertThat(ReclaimedJobs.after(
                        before,
                        List.of(
                                reclaim("train", 100, 0),
                                reclaim("train", 20, 1),
                                new Reclaim(new PodOwner("other", "Job", "train"), 8, Objects.NOON))))
                .containsExactly(
                        new ReclaimedJobStatus("team", "Job", "train", 4, 3720, "2026-01-01T12:00:01Z"),
                        new ReclaimedJobStatus("other", "Job", "train", 1, 8, NOON));
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
                new ReclaimedJobStatus("team", "Job", null, 2, 3600, NOON),
                new ReclaimedJobStatus("team", "Job", "train", 2, 3600, null));

        assertThat(ReclaimedJobs.after(before, List.of(reclaim("other", 1, 0))))
                .extracting(ReclaimedJobStatus::name)
                .containsExactly("other");
    }

    private static Reclaim reclaim(String job, long gpuSeconds, int second) {
        return new Reclaim(new PodOwner("team", "Job", job), gpuSeconds, Objects.NOON.plus(Duration.ofSeconds(second)));
    }
}
