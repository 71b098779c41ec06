package dev.trainyard.bench.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.trainyard.bench.measure.Goal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Golden-file tests. Run with -Dtrainyard.update=true to rewrite the files. */
class SchedulerReportTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "workshop/bench/src/test/resources/golden");

    private final SchedulerReport report = report(new SchedulerComparison(
            ApiRate.UNLIMITED, 3000, List.of(pair(3000, 15, 14), pair(3000, 16, 15.5), pair(3000, 20, 15))));

    @Test
    void readsLikeThis() throws IOException {
        var text = SchedulerReportText.of(report);

        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(text).isEqualTo(golden("scheduler.txt", text));
    }

    @Test
    void isThisAsJson() throws IOException {
        var json = new ObjectMapper()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                        .writeValueAsString(report)
                + "\n";

        assertThat(json).isEqualTo(golden("scheduler.json", json));
    }

    @Test
    void theMedianOfTheRoundsRatiosCountsAtTheRateThatHoldsNothingBack() {
        assertThat(report.targets())
                .singleElement()
                .satisfies(target -> assertThat(target.value()).isCloseTo(14 / 15.0, within(1e-9)))
                .matches(Goal::met);
    }

    @Test
    void fewerThanNineTenthsAreTooFew() {
        var slow = report(new SchedulerComparison(ApiRate.UNLIMITED, 3000, List.of(pair(3000, 15, 13))));

        assertThat(slow.targets()).noneMatch(Goal::met);
        assertThat(SchedulerReportText.of(slow)).contains("MISSED");
    }

    @Test
    void expectsMoreOfTheProfileWithoutTheExtender() {
        var plugins = report(
                MeasuredProfile.PLUGINS,
                new SchedulerComparison(ApiRate.UNLIMITED, 3000, List.of(pair(3000, 15, 14.6))));

        assertThat(plugins.targets()).noneMatch(Goal::met);
        assertThat(SchedulerReportText.of(plugins))
                .doesNotContain("JVM options", "Calls as the extender saw them")
                .contains("with profile plugins", "pods/s with profile plugins / without, 1,000 nodes")
                .satisfies(text -> assertThat(text.lines())
                        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100)));
    }

    @Test
    void theFirstPodIsBoundAtTheStartOfTheTime() {
        assertThat(trial(3, 2, null).podsPerSecond()).isEqualTo(1);
    }

    private static SchedulerReport report(SchedulerComparison atFullRate) {
        return report(MeasuredProfile.EXTENDER, atFullRate);
    }

    private static SchedulerReport report(MeasuredProfile profile, SchedulerComparison atFullRate) {
        return new SchedulerReport(
                profile,
                "2 CPUs, Linux amd64, Java 17.0.15",
                "1.36.3",
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn16m"),
                1000,
                List.of(atFullRate, new SchedulerComparison(ApiRate.USUAL, 1000, List.of(pair(1000, 19.5, 18.2)))));
    }

    private static Pair pair(int pods, double with, double without) {
        return new Pair(
                trial(
                        pods,
                        with,
                        new ExtenderCalls(
                                new Calls(pods, 1906.3, 852.1, 19_000), new Calls(pods - 1, 2101, 955, 9500))),
                trial(pods, without, null));
    }

    private static SchedulerTrial trial(int pods, double seconds, ExtenderCalls calls) {
        var cpu = new Cpu(4700, calls == null ? 0 : 4567, 6267, 2900);
        return new SchedulerTrial(pods, seconds, seconds + 0.75, cpu, calls);
    }

    private static String golden(String name, String found) throws IOException {
        var file = GOLDEN.resolve(name);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, found);
        }
        return Files.readString(file);
    }
}
