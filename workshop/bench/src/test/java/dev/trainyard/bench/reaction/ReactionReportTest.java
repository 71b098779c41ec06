package dev.trainyard.bench.reaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.reaction.NoticeReaction.Checkpoints;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReactionReportTest {

    /** One to two hundred milliseconds above the batch window, in shuffled order. */
    private static final Times REACTION = Times.of(
            LongStream.range(0, 200).map(i -> (201 + (i * 7) % 200) * 1_000_000).toArray());

    private static final Times FLOOR = Times.of(4_000_000, 2_000_000);

    @Test
    void figuresAreTimesThatWereMeasured() {
        assertThat(REACTION).isEqualTo(new Times(300, 380, 398, 400));
        assertThat(FLOOR).isEqualTo(new Times(2, 4, 4, 4));
        assertThat(Times.of(5_000_000)).isEqualTo(new Times(5, 5, 5, 5));
        assertThatThrownBy(Times::of).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theTargetIsWithoutTheBatchWindow() throws Exception {
        var json = new ObjectMapper().valueToTree(report());

        assertThat(json.at("/withoutWindow/p99").asDouble()).isEqualTo(198);
        assertThat(json.at("/reaction/p50").asDouble()).isEqualTo(300);
        assertThat(json.at("/targets/0/value").asDouble()).isEqualTo(198);
        assertThat(json.at("/targets/0/met").asBoolean()).isTrue();
        assertThat(json.at("/targets/1/value").asDouble()).isEqualTo(250);
        assertThat(json.at("/targets/1/limit").asDouble()).isEqualTo(500);
    }

    @Test
    void showsThemSideBySide() {
        assertThat(ReactionReportText.of(report())).isEqualTo("""
                Time from PodScheduled=False, written by a real kube-scheduler 1.36.3, to the scaler's call to
                its simulated cloud, a ConfigMap. A watch sees both. 200 pods, one at a time.
                The floor is a client that reads and writes a ConfigMap as soon as its watch shows the condition.
                2 CPUs, Linux amd64, Java 17
                JVM options of the scaler: -Xmn16m

                ms                                        p50      p90      p99      max
                reaction                                300.0    380.0    398.0    400.0
                less the batch window of 200 ms         100.0    180.0    198.0    200.0
                floor                                     2.0      4.0      4.0      4.0
                notice of a reclaim to the call         150.0    250.0    250.0    250.0
                notice of a reclaim to the eviction     300.0    500.0    500.0    500.0

                Share of evictions that leave time for a checkpoint. Assumed: the length of the notice and the
                duration of the checkpoint. Each grace period ends two seconds before the machine does.
                notice of 10 s                         5 s: 100.0 %    20 s: 0.0 %    90 s: 0.0 %
                notice of 30 s                         5 s: 100.0 %    20 s: 100.0 %    90 s: 0.0 %
                notice of 120 s                        5 s: 100.0 %    20 s: 100.0 %    90 s: 100.0 %

                target                                             measured    limit
                ms to the call, batch window taken off, p99             198 <= 250   met
                ms from a notice to the call, p99                       250 <= 500   met
                """);
    }

    @Test
    void aCheckpointEndsInTimeIfTheEvictionLeavesItsDurationAndTwoSeconds() {
        var notice = NoticeReaction.of(new long[] {1}, new long[] {3_000_000_000L, 3_000_000_001L});

        assertThat(notice.checkpoints())
                .contains(new Checkpoints(10, 5, 0.5), new Checkpoints(10, 20, 0), new Checkpoints(30, 20, 1));
    }

    @Test
    void tooFewSamplesAreRefused() {
        assertThatThrownBy(() -> new ReactionBenchOptions(List.of(), List.of(), List.of(), 1, Duration.ZERO))
                .hasMessage("--samples: 1 is not a number from 2 to 2000");
    }

    private static ReactionReport report() {
        return new ReactionReport(
                "2 CPUs, Linux amd64, Java 17",
                "1.36.3",
                List.of("-Xmn16m"),
                200,
                200,
                REACTION,
                FLOOR,
                NoticeReaction.of(new long[] {250_000_000, 150_000_000}, new long[] {500_000_000, 300_000_000}));
    }
}
