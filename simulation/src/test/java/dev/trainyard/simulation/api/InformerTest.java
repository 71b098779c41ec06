package dev.trainyard.simulation.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class InformerTest {

    private final VirtualTime time = new VirtualTime(Instant.parse("2026-01-05T00:00:00Z"));
    private final ApiServer server = new ApiServer(time);
    private final Informer<Node> informer = server.nodes().inform(() -> Duration.ofSeconds(1));
    private final ArrayList<String> heard = new ArrayList<>();

    {
        informer.tell(new Watch<>() {
            @Override
            public void added(Node node) {
                heard.add("+" + node.getMetadata().getName());
            }

            @Override
            public void changed(Node before, Node after) {
                heard.add("~" + after.getMetadata().getName()
                        + after.getMetadata().getLabels());
            }

            @Override
            public void removed(Node last) {
                heard.add("-" + last.getMetadata().getName());
            }
        });
    }

    private void create(String name) {
        server.nodes()
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build());
    }

    private void label(String name, String value) {
        server.nodes()
                .change(
                        name,
                        null,
                        before -> new NodeBuilder(before)
                                .editMetadata()
                                .addToLabels("a", value)
                                .endMetadata()
                                .build());
    }

    private void pass(int seconds) {
        time.passTo(time.nanos() + Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void changesAreSeenLateAndInTheirOrder() {
        create("n");
        label("n", "1");
        assertThat(informer.all()).isEmpty();

        pass(1);

        assertThat(heard).containsExactly("+n", "~n{a=1}");
        server.nodes().remove("n");
        assertThat(informer.get("n")).isPresent();
        pass(1);
        assertThat(heard).endsWith("-n");
    }

    @Test
    void aWatchThatWasLostTellsOfWhatIsDifferentAfterwards() {
        create("stays");
        create("goes");
        pass(1);
        heard.clear();

        informer.lose(Duration.ofSeconds(30));
        server.nodes().remove("goes");
        create("comes");
        label("stays", "1");
        label("stays", "2");
        pass(29);
        assertThat(heard).isEmpty();
        pass(1);

        assertThat(heard).containsExactly("-goes", "+comes", "~stays{a=2}");
        label("stays", "3");
        pass(1);
        assertThat(heard).endsWith("~stays{a=3}");
    }

    @Test
    void whatWasUnderWayWhenTheWatchWasLostDoesNotComeLater() {
        create("n");
        informer.lose(Duration.ofMillis(100));
        pass(5);

        assertThat(heard).containsExactly("+n");
    }

    @Test
    void aChangeDecidedOnAnOldVersionIsRefused() {
        create("n");
        var version = server.nodes().get("n").orElseThrow().getMetadata().getResourceVersion();
        label("n", "1");

        assertThatThrownBy(() -> server.nodes()
                        .change(
                                "n",
                                version,
                                before -> new NodeBuilder(before)
                                        .editOrNewSpec()
                                        .withUnschedulable(true)
                                        .endSpec()
                                        .build()))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("n has been modified");
    }
}
