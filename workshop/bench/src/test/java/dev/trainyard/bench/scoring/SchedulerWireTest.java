package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerWireTest {

    private final SchedulerWire wire = new SchedulerWire(List.of("a", "b", "c"));

    @Test
    void asksAsKubeSchedulerDoes() {
        var question = new String(wire.question("{}", new int[] {2, 0, 9}, 2), StandardCharsets.UTF_8);

        assertThat(question).isEqualTo("{\"Pod\":{},\"Nodes\":null,\"NodeNames\":[\"c\",\"a\"]}");
    }

    @Test
    void keepsTheNodesThatPass() {
        int[] machines = {2, 0, 1};

        int left = wire.passed(
                bytes("{\"Nodes\":null,\"NodeNames\":[\"c\",\"b\"],\"FailedNodes\":{\"a\":\"why\"},\"Error\":\"\"}"),
                machines,
                3);

        assertThat(left).isEqualTo(2);
        assertThat(machines).startsWith(2, 1);
        assertThat(wire.passed(bytes("{\"NodeNames\":null}"), machines, 2)).isZero();
    }

    @Test
    void takesForAnErrorWhatKubeSchedulerDoes() {
        for (var answer :
                new String[] {"{\"NodeNames\":[\"b\"]}", "{\"NodeNames\":[\"x\"]}", "{\"Error\":\"no\"}", "[]"}) {
            assertThatThrownBy(() -> wire.passed(bytes(answer), new int[] {2, 0}, 2))
                    .as(answer)
                    .isInstanceOf(BenchException.class)
                    .hasMessageStartingWith("filter answered with");
        }
        assertThatThrownBy(() -> wire.scores(bytes("[{\"Host\":\"a\",\"Score\":7.5}]"), new int[3]))
                .hasMessageStartingWith("prioritize answered with something that kube-scheduler cannot read");
    }

    @Test
    void aNodeWithoutAScoreHasZeroAndAStrangerDoesNotMatter() {
        int[] scores = {5, 5, 5};

        wire.scores(
                bytes("[{\"Host\":\"c\",\"Score\":7},{\"Score\":3,\"Host\":\"a\"},{\"Host\":\"x\",\"Score\":9}]"),
                scores);

        assertThat(scores).containsExactly(3, 0, 7);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
