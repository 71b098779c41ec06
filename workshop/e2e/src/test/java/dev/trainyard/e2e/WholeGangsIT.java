package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.SimulatedMachines;
import dev.trainyard.workshop.cluster.TestCluster;
import dev.trainyard.workshop.demo.GangPlacement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two gangs of eight pods each, created at the same time with room for twelve, in a tier whose gangs start whole. {@code -Dtrainyard.rounds=50}
 * creates more pairs of gangs than usual.
 */
@WithTestCluster
class WholeGangsIT {

    private static final Logger log = LoggerFactory.getLogger(WholeGangsIT.class);
    private static final int ROUNDS = Integer.getInteger("trainyard.rounds", 3);
    static final int SIZE = 8;
    static final int ROOM = 12;
    static final String ONE_GPU = "cpu: \"8\", memory: 60Gi, nvidia.com/gpu: \"1\"";

    /** In every second round, the machines are there before the gangs. Without gates, each gang would then start with six pods. */
    @Test
    void oneOfTwoGangsStartsWholeAndThenTheOther(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                        .pool("whole-new", "spot", "", ONE_GPU, "max: " + ROOM)
                        .pool("whole-ready", "spot", "", ONE_GPU, "min: %d\n  max: %d".formatted(ROOM, ROOM))
                        .tierOfWholeGangs("whole-new", "whole-new")
                        .tierOfWholeGangs("whole-ready", "whole-ready");
                var observed = ObservedGangs.of(testCluster, ground)) {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    play(round, round % 2 == 0 ? "whole-ready" : "whole-new", ground, story, observed);
                }
            } finally {
                ground.kubectl("patch", "trainingpool", "whole-ready", "--type=merge", "-p", "{\"spec\":{\"min\":0}}");
            }
            assertThat(story.ordered("whole-ready")).isEqualTo(ROOM);
        }
    }

    private static void play(int round, String pool, TrainingGround ground, StoryPools story, ObservedGangs observed) {
        if (pool.equals("whole-ready")) {
            awaitUsable(ground, pool);
        }
        long before = story.ordered(pool);
        var names = List.of("one-" + round, "two-" + round);
        ground.kubectl("create", "-f", gangs(ground, pool, "2s", names));
        names.forEach(name -> ground.awaitSucceeded(name, SIZE));

        var starts = new ArrayList<GangPlacement>();
        for (var name : names) {
            var placement = observed.awaitPlaced(name, SIZE);
            assertThat(placement.problem(SIZE)).as("gang %s", name).isEmpty();
            starts.add(placement);
        }
        starts.sort(Comparator.comparing(GangPlacement::first));
        log.info("round={} pool={} starts={}", round, pool, starts);
        assertThat(starts.get(0).others()).as("round %d", round).isZero();
        assertThat(starts.get(1).others())
                .as("round %d: the second gang starts as soon as enough pods of the first have ended", round)
                .isLessThanOrEqualTo(ROOM - SIZE);
        assertThat(starts.get(1).first())
                .as("round %d: the second gang starts after all of the first", round)
                .isGreaterThan(starts.get(0).last());
        assertThat(story.ordered(pool) - before).as("round %d: machines", round).isLessThanOrEqualTo(ROOM);
    }

    @Test
    void podWithoutAGangUsesTheRoomThatIsTooSmallForTheOtherGang(TestCluster testCluster, TrainingGround ground) {
        try (var story = new StoryPools(testCluster, ground)
                        .pool("whole-single", "spot", "", ONE_GPU, "max: " + ROOM)
                        .tierOfWholeGangs("whole-single", "whole-single");
                var observed = ObservedGangs.of(testCluster, ground)) {
            var names = List.of("one", "two");
            ground.kubectl("create", "-f", gangs(ground, "whole-single", "1h", names));
            var first = observed.awaitOne(names, SIZE);
            var second = first.equals("one") ? "two" : "one";
            ground.kubectl("create", "-f", ground.job("single", 1, 1, annotations("whole-single", "2s")));
            ground.awaitSucceeded("single", 1);

            assertThat(ground.pods())
                    .filteredOn(pod -> !pod.getSpec().getSchedulingGates().isEmpty())
                    .hasSize(SIZE)
                    .allSatisfy(pod -> assertThat(pod.getMetadata().getName()).startsWith(second + "-"));
            assertThat(ground.events())
                    .as("held pods say what they wait for")
                    .anyMatch(event -> event.startsWith("NotPlaceable: ") && event.contains("gang"));

            ground.kubectl("delete", "job", first);
            assertThat(observed.awaitPlaced(second, SIZE).problem(SIZE)).isEmpty();
            assertThat(observed.awaitPlaced(first, SIZE).problem(SIZE)).isEmpty();
            assertThat(story.ordered("whole-single")).isLessThanOrEqualTo(ROOM);
        }
    }

    private static void awaitUsable(TrainingGround ground, String pool) {
        TrainingGround.awaitTrue("all machines of %s are usable".formatted(pool), () -> {
            var status = ground.pool(pool).getStatus();
            return status != null && Integer.valueOf(ROOM).equals(status.ready());
        });
    }

    /** Returns a file with one Job for each gang. */
    static String gangs(TrainingGround ground, String tier, String duration, List<String> names) {
        return ground.jobs(
                names,
                1,
                SIZE,
                name -> annotations(tier, duration)
                        + ", %s: %s, %s: \"%d\"".formatted(Names.GANG, name, Names.GANG_SIZE, SIZE));
    }

    private static String annotations(String tier, String duration) {
        return "%s: %s, %s: %s".formatted(Names.TIER, tier, SimulatedMachines.DURATION_ANNOTATION, duration);
    }
}
