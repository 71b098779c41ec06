package dev.trainyard.scaler.observe;

import static dev.trainyard.scaler.Objects.NOON;
import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods of Jobs with 10 hours of work, until midnight. A restart costs 20 minutes. */
class ProgressMemoryTest {

    private static final String MIDNIGHT = "2026-01-02T00:00:00Z";

    private final SnapshotFixture testCluster = new SnapshotFixture()
            .pool("spot", spot(1))
            .pool("ondemand", onDemand(1))
            .tier("t", "spot", "ondemand");
    /** How much more the wall clock shows than it should. */
    private Duration jump = Duration.ZERO;

    private ProgressMemory memory = memory();

    @Test
    void aNewTrainingHasNoProgress() {
        pending("a", NOON);

        var policy = look().of("uid-a").orElseThrow();
        assertThat(policy.saved()).isZero();
        assertThat(policy.start()).isEqualTo(NOON);
        assertThat(policy.stated().at()).isEqualTo(Instant.parse(MIDNIGHT));
        assertThat(policy.stated().restartCost()).isEqualTo(Duration.ofMinutes(20));
        assertThat(look().records()).isEmpty();
    }

    @Test
    void launchIncludesTheFallbackAndTheLongestTimeoutOfTheTier() {
        pending("a", NOON);

        assertThat(look().of("uid-a").orElseThrow().launch()).isEqualTo(Duration.ofMinutes(15 + 3));
    }

    @Test
    void replacementContinuesLessTheRestartCost() {
        running("a", NOON);
        look();
        testCluster.later(Duration.ofHours(2));
        look();
        testCluster.later(Duration.ofMinutes(1));
        testCluster.pods.clear();
        look();
        pending("b", testCluster.now);

        var deadlines = look();
        var policy = deadlines.of("uid-b").orElseThrow();
        assertThat(policy.saved()).isEqualTo(Duration.ofMinutes(100));
        assertThat(policy.start()).isEqualTo(NOON);
        assertThat(deadlines.records())
                .extracting(record -> record.pod() + " " + record.text())
                .containsExactly("team/b 1h40m, since 2026-01-01T12:00:00Z");
    }

    @Test
    void replacementContinuesWhileTheOldPodEnds() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(1));
        look();
        change(
                "a",
                pod -> new PodBuilder(pod)
                        .editMetadata()
                        .withDeletionTimestamp("2026-01-01T13:00:30Z")
                        .endMetadata()
                        .build());
        pending("b", testCluster.now);

        assertThat(look().of("uid-b").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(40));
        testCluster.later(Duration.ofMinutes(1));
        testCluster.pods.removeIf(pod -> pod.getMetadata().getName().equals("a"));
        pending("c", testCluster.now);
        assertThat(look().of("uid-c").orElseThrow().saved())
                .as("continued by b")
                .isZero();
    }

    @Test
    void anotherScalerContinuesFromTheAnnotation() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(1));
        change("a", pod -> annotated(pod, Names.PROGRESS, "3h, since 2026-01-01T07:00:00Z"));
        memory = memory();

        var deadlines = look();
        var policy = deadlines.of("uid-a").orElseThrow();
        assertThat(policy.progress(testCluster.now)).isEqualTo(Duration.ofHours(4));
        assertThat(policy.start()).isEqualTo(Instant.parse("2026-01-01T07:00:00Z"));
        assertThat(deadlines.records()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"3h", "much, since 2026-01-01T07:00:00Z", "3h, since yesterday", "''", ", since "})
    void aMalformedProgressCountsAsNone(String text) {
        pending("a", NOON);
        change("a", pod -> annotated(pod, Names.PROGRESS, text));

        assertThat(look().of("uid-a").orElseThrow().saved()).isZero();
    }

    @Test
    void aPodThatSucceededLeavesNothingToContinue() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(1));
        look();
        change("a", pod -> phase(pod, "Succeeded"));
        pending("b", testCluster.now);

        assertThat(look().of("uid-b").orElseThrow().saved()).isZero();
        testCluster.pods.remove(0);
        pending("c", testCluster.now);
        assertThat(look().of("uid-c").orElseThrow().saved()).isZero();
    }

    @Test
    void aContainerThatStartsAgainIsAnInterruption() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(2));
        look();
        change("a", pod -> started(pod, testCluster.now));

        assertThat(look().of("uid-a").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(100));
    }

    @ParameterizedTest
    @CsvSource({"0, PT0S", "1, PT1H40M"})
    void aContainerThatEndsIsAnInterruptionUnlessItSucceeds(int exitCode, Duration saved) {
        running("a", NOON);
        testCluster.later(Duration.ofHours(2));
        look();
        change(
                "a",
                pod -> new PodBuilder(pod)
                        .editStatus()
                        .addNewContainerStatus()
                        .withName("helper")
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withStartedAt(NOON.toString())
                        .endTerminated()
                        .endState()
                        .endContainerStatus()
                        .endStatus()
                        .build());

        assertThat(look().of("uid-a").orElseThrow().saved()).isEqualTo(saved);
    }

    @Test
    void membersOfAnIndexedJobContinueTheirOwnProgress() {
        for (var index : new String[] {"0", "1"}) {
            running("a" + index, NOON.plus(Duration.ofHours(Integer.parseInt(index))));
            change("a" + index, pod -> indexed(pod, index));
        }
        testCluster.later(Duration.ofHours(2));
        look();
        testCluster.pods.clear();
        for (var index : new String[] {"1", "0"}) {
            pending("b" + index, testCluster.now);
            change("b" + index, pod -> indexed(pod, index));
        }

        var deadlines = look();
        assertThat(deadlines.of("uid-b0").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(100));
        assertThat(deadlines.of("uid-b1").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(40));
    }

    @Test
    void ofUnnumberedPodsTheSmallestProgressIsContinuedFirst() {
        running("a", NOON);
        running("b", NOON.plus(Duration.ofHours(1)));
        testCluster.later(Duration.ofHours(2));
        look();
        testCluster.pods.clear();
        pending("c", testCluster.now);

        assertThat(look().of("uid-c").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(40));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trainyard.dev/deadline | tomorrow | annotation trainyard.dev/deadline: 'tomorrow' is not a time such as 2026-01-02T08:00:00Z",
                "trainyard.dev/deadline | 24h | annotation trainyard.dev/deadline: '24h' is not a time such as 2026-01-02T08:00:00Z",
                "trainyard.dev/work | 0s | annotation trainyard.dev/work: '0s' is not greater than 0s; durations look like 90s, 15m or 1h30m",
                "trainyard.dev/work | 1 day | annotation trainyard.dev/work: '1 day' is not a duration such as 90s, 15m or 1h30m",
                "trainyard.dev/restart-cost | -5m | annotation trainyard.dev/restart-cost: '-5m' is not a duration such as 90s, 15m or 1h30m",
            })
    void anInvalidAnnotationIsReportedAndThePodHasNoDeadline(String name, String value, String message) {
        pending("a", NOON);
        change("a", pod -> annotated(pod, name, value));

        var deadlines = look();
        assertThat(deadlines.policies()).isEmpty();
        assertThat(deadlines.invalid())
                .extracting(Unreadable::message)
                .containsExactly(
                        message
                                + "; the pod is treated as if it stated no deadline: correct the pod template, and create the Job again");
    }

    @Test
    void workWithoutDeadlineIsReported() {
        pending("a", NOON);
        change(
                "a",
                pod -> new PodBuilder(pod)
                        .editMetadata()
                        .removeFromAnnotations(Names.DEADLINE)
                        .endMetadata()
                        .build());

        assertThat(look().invalid())
                .extracting(Unreadable::message)
                .first()
                .asString()
                .startsWith("annotation trainyard.dev/work: '10h' has no effect without trainyard.dev/deadline");
    }

    @ParameterizedTest
    @CsvSource({
        "t, tier t does not allow deadlines",
        "nowhere, tier nowhere does not allow deadlines",
        ", the pod has no tier"
    })
    void deadlineHasNoEffectIfTheTierDoesNotAllowIt(String tier, String why) {
        testCluster.tiers.put("t", new TrainingTierSpec(List.of("spot")));
        pending("a", NOON);
        change(
                "a",
                pod -> new PodBuilder(pod)
                        .editMetadata()
                        .removeFromAnnotations(Names.TIER)
                        .addToAnnotations(tier == null ? Map.of() : Map.of(Names.TIER, tier))
                        .endMetadata()
                        .build());

        var deadlines = look();
        assertThat(deadlines.policies()).isEmpty();
        assertThat(deadlines.invalid())
                .extracting(Unreadable::message)
                .containsExactly(
                        ("annotation trainyard.dev/deadline has no effect, because %s: use a tier with spec.deadlines: true, "
                                        + "or ask the administrator to set it")
                                .formatted(why));

        change("a", pod -> phase(pod, "Succeeded"));
        assertThat(look().invalid()).isEmpty();
    }

    /** The pod ends, and its replacement exists, while the clock is wrong. */
    @Test
    void aClockThatJumpsForwardAndBackAddsNoProgress() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(2));
        look();
        jump(Duration.ofDays(2));
        look();
        testCluster.pods.clear();
        look();
        jump(Duration.ofDays(-2));
        pending("b", testCluster.now);

        assertThat(look().of("uid-b").orElseThrow().saved()).isEqualTo(Duration.ofMinutes(100));
    }

    @Test
    void progressContinuesAfterTheClockHasJumpedBack() {
        running("a", NOON);
        testCluster.later(Duration.ofHours(2));
        look();
        jump(Duration.ofHours(-1));
        look();
        jump(Duration.ofHours(1));
        testCluster.later(Duration.ofHours(1));

        assertThat(look().of("uid-a").orElseThrow().progress(testCluster.now)).isEqualTo(Duration.ofHours(3));
    }

    @ParameterizedTest
    @CsvSource({"PT23H59M, PT1H40M", "PT24H1M, PT0S"})
    void progressIsKeptForOneDay(Duration later, Duration saved) {
        running("a", NOON);
        testCluster.later(Duration.ofHours(2));
        look();
        testCluster.pods.clear();
        look();
        testCluster.later(later);
        look();
        pending("b", testCluster.now);

        assertThat(look().of("uid-b").orElseThrow().saved()).isEqualTo(saved);
    }

    @Test
    void progressOfTheLastTenThousandPodsIsKept() {
        for (int i = 0; i <= 10_000; i++) {
            running("a" + i, NOON);
            change(i, pod -> indexed(pod, "" + pod.getMetadata().getName().substring(1)));
        }
        testCluster.later(Duration.ofHours(2));
        look();
        var first = testCluster.pods.remove(0);
        look();
        testCluster.later(Duration.ofSeconds(1));
        var second = testCluster.pods.get(0);
        testCluster.pods.clear();
        look();
        for (var old : List.of(first, second)) {
            var index = old.getMetadata().getName().substring(1);
            pending("b" + index, testCluster.now);
            change("b" + index, pod -> indexed(pod, index));
        }

        var deadlines = look();
        assertThat(deadlines.of("uid-b0").orElseThrow().saved()).isZero();
        assertThat(deadlines.of("uid-b1").orElseThrow().saved()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"Job, PT1H40M", "StatefulSet, PT1H40M", "ReplicaSet, PT0S", ", PT0S"})
    void onlyAPodThatContinuesACertainOtherPodGetsItsProgress(String kind, Duration saved) {
        running("a", NOON);
        change("a", pod -> owned(pod, kind));
        testCluster.later(Duration.ofHours(2));
        look();
        testCluster.pods.clear();
        look();
        pending("a", testCluster.now);
        change("a", pod -> owned(pod, kind));
        change(
                "a",
                pod -> new PodBuilder(pod)
                        .editMetadata()
                        .withUid("uid-b")
                        .endMetadata()
                        .build());

        assertThat(look().of("uid-b").orElseThrow().saved()).isEqualTo(saved);
    }

    private static Pod owned(Pod pod, String kind) {
        var builder = new PodBuilder(pod).editMetadata().withOwnerReferences();
        return kind == null
                ? builder.endMetadata().build()
                : builder.addNewOwnerReference()
                        .withController(true)
                        .withKind(kind)
                        .withName("owner")
                        .withUid("uid-owner")
                        .endOwnerReference()
                        .endMetadata()
                        .build();
    }

    private void jump(Duration duration) {
        jump = jump.plus(duration);
        testCluster.later(duration);
    }

    private ProgressMemory memory() {
        return new ProgressMemory(
                () -> Duration.between(NOON, testCluster.now.minus(jump)).toNanos());
    }

    private Deadlines look() {
        return memory.on(testCluster.snapshot(), testCluster.pods).deadlines();
    }

    private void pending(String name, Instant created) {
        testCluster.pods.add(stated(Objects.waiting(name, "t", "nvidia.com/gpu", "1"), created));
    }

    private void running(String name, Instant since) {
        var pod = stated(Objects.running(name, "node-" + name, "nvidia.com/gpu", "1"), NOON);
        testCluster.pods.add(started(annotated(pod, Names.TIER, "t"), since));
    }

    private void change(int index, UnaryOperator<Pod> change) {
        testCluster.pods.set(index, change.apply(testCluster.pods.get(index)));
    }

    private void change(String name, UnaryOperator<Pod> change) {
        testCluster.pods.replaceAll(pod -> pod.getMetadata().getName().equals(name) ? change.apply(pod) : pod);
    }

    private static Pod stated(Pod pod, Instant created) {
        return new PodBuilder(pod)
                .editMetadata()
                .withCreationTimestamp(created.toString())
                .addToAnnotations(Map.of(Names.DEADLINE, MIDNIGHT, Names.WORK, "10h", Names.RESTART_COST, "20m"))
                .endMetadata()
                .build();
    }

    private static Pod started(Pod pod, Instant since) {
        return new PodBuilder(pod)
                .editStatus()
                .withStartTime(since.toString())
                .withContainerStatuses()
                .addNewContainerStatus()
                .withName("main")
                .withNewState()
                .withNewRunning(since.toString())
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }

    private static Pod annotated(Pod pod, String name, String value) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(name, value)
                .endMetadata()
                .build();
    }

    private static Pod indexed(Pod pod, String index) {
        return annotated(pod, "batch.kubernetes.io/job-completion-index", index);
    }

    private static Pod phase(Pod pod, String phase) {
        return new PodBuilder(pod).editStatus().withPhase(phase).endStatus().build();
    }
}
