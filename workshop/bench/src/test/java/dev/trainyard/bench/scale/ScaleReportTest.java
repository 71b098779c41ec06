package dev.trainyard.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.measure.Percentiles;
import dev.trainyard.bench.scale.GrowthTarget.Verdict;
import dev.trainyard.bench.scale.ServerFigures.Durations;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScaleReportTest {

    @Test
    void targetsAreAboutTheTimeAfterTheFirstThird() {
        var report = report();

        var json = new ObjectMapper().valueToTree(report);

        assertThat(json.at("/targets")).hasSize(2);
        assertThat(json.at("/targets/0/value").asDouble()).isCloseTo(0, within(1e-9));
        assertThat(json.at("/targets/0/error").asDouble()).isCloseTo(0, within(1e-9));
        assertThat(json.at("/targets/0/limit").asDouble()).isEqualTo(0.25);
        assertThat(json.at("/targets/0/verdict").asText()).isEqualTo("FLAT");
        assertThat(json.at("/targets/1/value").asDouble()).isCloseTo(2, within(1e-9));
        assertThat(json.at("/targets/1/verdict").asText()).isEqualTo("GROWING");
        assertThat(json.at("/components/0/samples")).hasSize(13);
    }

    @Test
    void tooFewSamplesDecideNothing() {
        var component = ComponentReport.of("webhook", List.of(sample(0), sample(6), sample(12)), 1200, 0, 0, List.of());

        assertThat(component.heap()).isNull();
        assertThat(component.targets()).extracting(GrowthTarget::verdict).containsOnly(Verdict.NOT_DECIDED);
        assertThat(component.targets().get(0).line())
                .isEqualTo("live heap, webhook                          -        -     0.25  not decided");
    }

    @Test
    void showsTheComponentsSideBySide() {
        assertThat(ScaleReportText.of(report())).isEqualTo("""
                Kubernetes 1.36.3: 900 nodes, and up to 100 that come and go. 1,200 pods in 120 s came and went.
                2 CPUs, Linux amd64, Java 17
                Set-up took 30 s. The last pod ended after 140 s. The scaler removed 17 nodes.
                From a pod's creation to its start, in s: p50 2, p99 14, max 14

                After the first third of the pods: a straight line through the samples, from its start to its
                end, and its growth for each 1,000 pods with its standard error. heap: live objects.
                MiB            |   heap     to         growth |    RSS     to         growth
                scaler         |   40.0   40.0   0.00 +- 0.00 |  200.8  202.4   2.00 +- 0.00

                lag: from the answer to a write until the component's watch has delivered the write, in ms.
                          | lag p50     p99     max | API calls/pod (its cloud's) |  threads, files  CPU ms/pod
                scaler    |      26      32      32 |          3.00          1.50 |  54-62, 100-100        12.0

                In ms, by the components' metrics; percentiles are estimated from histograms
                                               number     mean      p50      p99
                scaler: rounds                     40     21.5     18.0     90.0
                webhook: answered reviews        1210      2.5      2.0      9.0
                extender: chosen nodes           1205      1.5      1.0      8.0
                Failed rounds: 0. Pods placed without an answer of the extender: 0.

                growth, MiB per 1,000 pods           measured       +-    limit  verdict
                live heap, scaler                           0        0     0.25  flat
                RSS, scaler                                 2        0        1  growing

                Classes of the scaler that grew most after the first third of the pods, in KiB
                       2.0  [B
                """);
        assertThat(ScaleReportText.of(report()).lines()).allMatch(line -> line.length() <= 100);
    }

    private static ScaleReport report() {
        var samples =
                IntStream.rangeClosed(0, 12).mapToObj(ScaleReportTest::sample).toList();
        return new ScaleReport(
                "2 CPUs, Linux amd64, Java 17",
                "1.36.3",
                900,
                100,
                1200,
                120,
                30.2,
                140.4,
                Percentiles.ofMillis(1000, 2000, 14_000),
                new ServerFigures(
                        new Durations(40, 21.5, 18, 90),
                        new Durations(1210, 2.5, 2, 9),
                        new Durations(1205, 1.5, 1, 8),
                        0,
                        17,
                        0),
                List.of(ComponentReport.of("scaler", samples, 1200, 3600, 1800, List.of(new ClassGrowth("[B", 2048)))));
    }

    /** A component whose heap grows while it warms up, and whose resident set grows all the time. */
    private static ComponentSample sample(int number) {
        int pods = 100 * number;
        return new ComponentSample(
                10 * number,
                pods,
                200 + 2 * pods / 1000.0,
                number % 2 == 1 ? null : Double.valueOf(pods < 400 ? 30 + pods / 100.0 : 40),
                50 + number,
                100,
                number * 1.2,
                20 + number);
    }
}
