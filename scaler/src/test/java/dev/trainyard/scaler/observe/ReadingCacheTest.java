package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gang.GangObjects;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadingCacheTest {

    private static final String NOON = "2026-01-05T12:00:00Z";

    private final ReadingCache<String> remembered = new ReadingCache<>();
    private int readings;

    @Test
    void readsAnObjectAnewWhenItHasAnotherVersion() {
        assertThat(read(pod("a", "1"), "")).isEqualTo("reading 1");
        remembered.forgetOthers();
        assertThat(read(pod("a", "1"), "")).isEqualTo("reading 1");
        remembered.forgetOthers();
        assertThat(read(pod("a", "2"), "")).isEqualTo("reading 2");
    }

    @Test
    void readsAnObjectAnewWhenWhatItDependsOnIsOtherwise() {
        read(pod("a", "1"), "team: red");
        remembered.forgetOthers();
        assertThat(read(pod("a", "1"), "team: blue")).isEqualTo("reading 2");
    }

    @Test
    void forgetsWhatIsGone() {
        read(pod("a", "1"), "");
        read(pod("b", "1"), "");
        remembered.forgetOthers();
        assertThat(remembered.size()).isEqualTo(2);

        read(pod("b", "1"), "");
        remembered.forgetOthers();
        assertThat(remembered.size()).isEqualTo(1);
        assertThat(read(pod("a", "1"), "")).isEqualTo("reading 3");
    }

    @Test
    void readsObjectsThatNoApiServerHasSeenEveryTime() {
        for (var pod : List.of(pod(null, "1"), pod("a", null))) {
            read(pod, "");
            remembered.forgetOthers();
            int before = readings;
            read(pod, "");
            assertThat(readings).isEqualTo(before + 1);
        }
        assertThat(remembered.size()).isZero();
    }

    @Test
    void aSnapshotHasPodsAndNodesAsTheyAreNowWhateverWasReadBefore() {
        var reader = new SnapshotReader("trainyard");
        var ready = node("1", "True");
        var waiting = pod("a", "1");
        assertThat(read(reader, List.of(waiting), List.of(ready)).waiting()).hasSize(1);
        assertThat(read(reader, List.of(waiting), List.of(ready)).waiting()).hasSize(1);

        var bound = new PodBuilder(pod("a", "2"))
                .editSpec()
                .withNodeName("n")
                .endSpec()
                .build();
        var after = read(reader, List.of(bound), List.of(node("2", "False")));
        assertThat(after.waiting()).isEmpty();
        assertThat(after.nodes().get(0).pods()).extracting(PodOnNode::uid).containsExactly("a");
        assertThat(after.nodes().get(0).ready()).isFalse();
        assertThat(reader.remembered()).isEqualTo(2);

        assertThat(read(reader, List.of(), List.of()).nodes()).isEmpty();
        assertThat(reader.remembered()).isZero();
    }

    private String read(Pod pod, String surroundings) {
        return remembered.read(pod, surroundings, () -> "reading " + ++readings);
    }

    private static Snapshot read(SnapshotReader reader, List<Pod> pods, List<Node> nodes) {
        var objects = new KubernetesObjects(
                pods, nodes, List.of(), List.of(), namespace -> Optional.of(Map.of("team", "red")), GangObjects.NONE);
        return reader.read(Instant.parse(NOON), Catalogue.EMPTY, objects, Map.of(), Map.of());
    }

    private static Pod pod(@Nullable String uid, @Nullable String version) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("training")
                .withName("train")
                .withUid(uid)
                .withResourceVersion(version)
                .withCreationTimestamp(NOON)
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .endCondition()
                .endStatus()
                .build();
    }

    private static Node node(String version, String ready) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("n")
                .withUid("n")
                .withResourceVersion(version)
                .withCreationTimestamp(NOON)
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build();
    }
}
