package dev.trainyard.extender.nudge;

import static dev.trainyard.extender.ClusterFixture.CATALOGUE;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.nodes;
import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static dev.trainyard.extender.ClusterFixture.removing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeWatcher;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedPodsTest {

    private static final Node HEAVY = node("heavy", "heavy-spot", 24, 4);
    private static final Node LIGHT = node("light", "light-spot", 6, 1);
    private static final Pod TRAIN = pod("train", "heavy", 1, 1);

    private final NodeIndex index = index(HEAVY, LIGHT);
    private final Filter filter = new Filter(InstantSource.system());
    private final RefusedPods waiting = watching();
    private Catalogue catalogue = CATALOGUE;
    private Duration now = Duration.ZERO;

    @Test
    void nudgesAPodWhenANodeIsNotBeingRemovedAnyMore() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy", "light");
        assertThat(turn()).isEmpty();

        index.put(HEAVY);
        assertThat(turn()).containsExactly("train");
        assertThat(turn()).as("once").isEmpty();
    }

    @Test
    void nudgesAPodWhenItsTierNamesAnotherPool() {
        ask(TRAIN, "light");
        assertThat(turn()).isEmpty();

        heavyTierNamesAlso("light-spot");
        assertThat(turn()).containsExactly("train");
    }

    @Test
    void doesNotNudgeForNodesThatThePodMightHaveHadBefore() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        turn();

        index.put(node("poolless", 8, 1));
        index.put(on("poolless", pod("other", 1, 1)));
        index.put(removing(LIGHT));
        index.put(LIGHT);
        assertThat(turn()).isEmpty();
    }

    @Test
    void doesNotNudgeForWhatWasTakenBackAtOnce() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        turn();

        index.put(HEAVY);
        index.put(removing(HEAVY));
        assertThat(turn()).isEmpty();
    }

    @Test
    void noticesAChangeThatCameBetweenTheVerdictAndOurHearingOfIt() {
        index.put(removing(HEAVY));
        var asked = TieredPod.of(PodFacts.of(TRAIN), catalogue);
        var names = nodes(index, List.of("heavy", "light"));
        var verdicts = filter.judge(asked, names);
        index.put(HEAVY);
        turn();
        waiting.filtered(asked, names, verdicts);

        assertThat(turn()).containsExactly("train");
    }

    @Test
    void noticesAnEditedTierThatCameBetweenTheVerdictAndOurHearingOfIt() {
        var asked = TieredPod.of(PodFacts.of(TRAIN), catalogue);
        var verdicts = filter.judge(asked, nodes(index, List.of("light")));
        heavyTierNamesAlso("light-spot");
        turn();
        waiting.filtered(asked, nodes(index, List.of("light")), verdicts);

        assertThat(turn()).containsExactly("train");
    }

    @Test
    void nudgesPodsThatAnExtenderBeforeItRefusedWhatTheyMayHaveNow() {
        for (var name : List.of("light", "heavy")) {
            index.put(toldThat("1 node(s) of a pool outside the pod's tier", pod("was-refused-" + name, name, 1, 1)));
        }
        index.put(toldThat("1 node(s) being removed", pod("still-refused", "cpu", 1, 1)));
        index.put(toldThat("1 Insufficient nvidia.com/gpu", pod("refused-by-the-scheduler", "heavy", 1, 1)));

        assertThat(turn()).containsExactlyInAnyOrder("was-refused-light", "was-refused-heavy");
        index.put(toldThat("1 node(s) being removed", pod("seen-late", "heavy", 1, 1)));
        assertThat(turn()).as("from now on it is asked itself").isEmpty();
    }

    @Test
    void forgetsPodsThatGotANodeOrAreGone() {
        index.put(removing(HEAVY));
        for (var name : List.of("placed", "deleted", "asked-again")) {
            var pod = pod(name, "heavy", 1, 1);
            index.put(pod);
            ask(pod, "heavy");
        }
        assertThat(waiting.size()).isEqualTo(3);

        index.put(on("elsewhere", pod("placed", "heavy", 1, 1)));
        index.remove(pod("deleted", "heavy", 1, 1));
        ask(pod("asked-again", "heavy", 1, 1), "not-known-yet");
        assertThat(waiting.size()).isZero();
        index.put(HEAVY);
        assertThat(turn()).isEmpty();
    }

    @Test
    void judgesAPodByWhatItIsNow() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy", "light");
        turn();
        index.put(pod("train", "cpu", 1, 1));

        index.put(HEAVY);
        assertThat(turn()).as("its tier is another one now").isEmpty();
    }

    @Test
    void triesAgainLaterWhenANudgeCouldNotBeSent() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        index.put(HEAVY);
        assertThat(turn()).containsExactly("train");

        waiting.failed(PodFacts.of(TRAIN));
        assertThat(turn()).isEmpty();
        now = now.plus(NudgeRateLimit.FIRST);
        assertThat(turn()).containsExactly("train");
    }

    @Test
    void doesNotNudgeAPodThatWasRefusedAnewWhileItsNudgeHadToWait() {
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        index.put(HEAVY);
        assertThat(turn()).containsExactly("train");
        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        index.put(HEAVY);
        var held = waiting.due(now.toNanos(), catalogue, index);
        assertThat(held.pods()).isEmpty();
        assertThat(held.suppressed()).isEqualTo(1);

        index.put(removing(HEAVY));
        ask(TRAIN, "heavy");
        now = now.plus(NudgeRateLimit.FIRST);
        assertThat(turn()).isEmpty();
    }

    @Test
    void nudgesACpuPodForGpuNodesWhereThoseAreGivenLast() {
        givesGpuNodesLast();
        turn();
        var cpuOnly = pod("cpu-only", 1, 0);
        index.put(removing(HEAVY));
        ask(cpuOnly, "heavy");
        assertThat(turn()).isEmpty();

        index.put(HEAVY);
        assertThat(turn()).containsExactly("cpu-only");
    }

    @Test
    void nudgesACpuPodWhenTheSettingLetsItUseGpuNodes() {
        turn();
        ask(pod("cpu-only", 1, 0), "heavy");
        assertThat(turn()).isEmpty();

        givesGpuNodesLast();
        assertThat(turn()).containsExactly("cpu-only");
    }

    @Test
    void doesNotNudgeACpuPodForGpuNodesWhereThoseAreKept() {
        var cpuOnly = pod("cpu-only", 1, 0);
        index.put(removing(HEAVY));
        ask(cpuOnly, "heavy");
        turn();

        index.put(HEAVY);
        assertThat(turn()).isEmpty();
    }

    @Test
    void dropsTheOldestOfTooMany() {
        index.put(removing(HEAVY));
        for (int number = 0; number <= RefusedPods.MOST; number++) {
            ask(pod("train-" + number, "heavy", 1, 1), "heavy");
        }

        assertThat(waiting.size()).isEqualTo(RefusedPods.MOST);
        index.put(HEAVY);
        assertThat(turn()).doesNotContain("train-0").hasSize(NudgeRateLimit.BURST);
    }

    private RefusedPods watching() {
        var watching = new RefusedPods(new LastResortFilter(new Filter(InstantSource.system())));
        index.watch((PodWatcher) watching);
        index.watch((NodeWatcher) watching);
        return watching;
    }

    private void ask(Pod pod, String... names) {
        var asked = TieredPod.of(PodFacts.of(pod), catalogue);
        var nodes = nodes(index, List.of(names));
        waiting.filtered(asked, nodes, filter.judge(asked, nodes));
    }

    private void givesGpuNodesLast() {
        catalogue = catalogue.with(CpuPodsOnGpuNodes.LAST);
        index.configure(catalogue);
    }

    private void heavyTierNamesAlso(String pool) {
        catalogue = NudgeCatalogues.withHeavyTierOf("heavy-spot", pool);
        index.configure(catalogue);
    }

    private static Pod toldThat(String why, Pod pod) {
        return new PodBuilder(pod)
                .editOrNewStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withMessage("0/2 nodes are available: %s.".formatted(why))
                .endCondition()
                .endStatus()
                .build();
    }

    private List<String> turn() {
        now = now.plusMillis(250);
        return waiting.due(now.toNanos(), catalogue, index).pods().stream()
                .map(PodFacts::name)
                .toList();
    }
}
