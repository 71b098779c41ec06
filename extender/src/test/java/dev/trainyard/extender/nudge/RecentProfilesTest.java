package dev.trainyard.extender.nudge;

import static dev.trainyard.extender.ClusterFixture.labelled;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.removing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.node.NodeProfile;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RecentProfilesTest {

    private static final Node NODE = node("node", "heavy-spot", 24, 4);

    @Test
    void knowsAllThatANodeWasInBetween() {
        var first = look(NODE);
        var second = look(removing(NODE));
        var third = look(labelled(NODE, "nvidia.com/gpu.memory", "32768"));
        var change = new RecentProfiles(first);
        change.to(first, second);
        change.to(second, first);
        change.to(first, third);

        assertThat(change.befores()).as("each once").containsExactly(first, second);
        assertThat(change.after()).isEqualTo(third);
    }

    private static NodeProfile look(Node node) {
        return Objects.requireNonNull(ClusterFixture.index(node).get("node")).look();
    }
}
