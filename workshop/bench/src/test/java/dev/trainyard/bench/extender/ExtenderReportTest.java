package dev.trainyard.bench.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.Latencies;
import dev.trainyard.bench.measure.ReferenceServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Golden-file tests. Run with -Dtrainyard.update=true to rewrite the files. */
class ExtenderReportTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "workshop/bench/src/test/resources/golden");

    private final ExtenderReport report = new ExtenderReport(
            "2 CPUs, Linux amd64, Java 17.0.15",
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn16m"),
            5000,
            5,
            5,
            List.of(
                    comparison(1000, 1, 1.2),
                    comparison(5000, 1, 1.6),
                    comparison(5000, 4, 1.9),
                    comparison(ReferenceServer.GO, 5000, 1, 2.5)),
            List.of(
                    new FirstCallLatencies(
                            ReferenceServer.FLOOR, 5000, Verb.FILTER, 50, 37_159, 28_852, 1_158_990, 97_190),
                    new FirstCallLatencies(
                            ReferenceServer.FLOOR, 5000, Verb.PRIORITIZE, 50, 65_962, 40_337, 258_605, 100_401),
                    new FirstCallLatencies(
                            ReferenceServer.GO, 5000, Verb.FILTER, 50, 37_159, 2_852, 1_158_990, 9_190)));

    @Test
    void readsLikeThis() throws IOException {
        var text = ExtenderReportText.of(report);

        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(text).isEqualTo(golden("extender.txt", text));
    }

    @Test
    void isThisAsJson() throws IOException {
        var json = new ObjectMapper()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                        .writeValueAsString(report)
                + "\n";

        assertThat(json).isEqualTo(golden("extender.json", json));
    }

    @Test
    void theWorseVerbOfTheSerialClientCounts() {
        assertThat(report.targets()).extracting(Goal::value).containsExactly(1.7, 1.6 + 0.25, 1.3);
        assertThat(report.targets()).extracting(Goal::met).containsExactly(false, true, true);
    }

    @Test
    void namesChooseAloneIfNoOtherVerbWasMeasured() {
        var latencies = new Latencies(3100, 3000, 6000, 9000);
        var choose = new VerbComparison(Verb.CHOOSE, latencies, latencies, 1.25, 1.5, 322.6, 322.6);
        var chooseAlone = new ExtenderReport(
                "",
                List.of(),
                1,
                1,
                1,
                List.of(comparison(ReferenceServer.FLOOR, 5000, 1, List.of(choose))),
                List.of(new FirstCallLatencies(
                        ReferenceServer.FLOOR, 5000, Verb.CHOOSE, 50, 37_159, 28_852, 1_158_990, 97_190)));

        assertThat(ExtenderReportText.of(chooseAlone))
                .contains(" 5000     1 choose     |   3000", " 5000 choose        50 |", "or extender / Go.\n")
                .doesNotContain("filter", "prioritize");
        assertThat(chooseAlone.targets()).extracting(Goal::value).containsExactly(1.25, 1.5, null);
    }

    @Test
    void whatWasNotMeasuredIsNotMet() {
        var nothing = new ExtenderReport("", List.of(), 1, 1, 1, List.of(), List.of());

        assertThat(nothing.targets()).hasSize(3).noneMatch(Goal::met);
        assertThat(ExtenderReportText.of(nothing)).contains("not measured").doesNotContain("MISSED");
    }

    private static ExtenderComparison comparison(int names, int connections, double ratio) {
        return comparison(ReferenceServer.FLOOR, names, connections, ratio);
    }

    private static ExtenderComparison comparison(ReferenceServer beside, int names, int connections, double ratio) {
        var filter = new VerbComparison(
                Verb.FILTER,
                new Latencies(3100, 3000, 6000, 9000),
                new Latencies(2050, 2000, 5000, 8000),
                ratio,
                ratio + 0.25,
                322.6,
                487.8);
        var prioritize = new VerbComparison(
                Verb.PRIORITIZE,
                new Latencies(164_520, 155_666, 177_209, 300_000),
                new Latencies(24_986, 24_000, 78_905, 99_000),
                Math.round(ratio * 10 + 1) / 10.0,
                1.5,
                6.1,
                40);
        return comparison(beside, names, connections, List.of(filter, prioritize));
    }

    private static ExtenderComparison comparison(
            ReferenceServer beside, int names, int connections, List<VerbComparison> verbs) {
        return new ExtenderComparison(
                beside,
                names,
                connections,
                verbs,
                new Figures(400, 3000, 170_000, 300_000, 35_000, 0.75),
                new Figures(800, 2000, 70_000, 99_000, 20_000, 0.87),
                200,
                400,
                0.5,
                70_000,
                40_000,
                1.75);
    }

    private static String golden(String name, String found) throws IOException {
        var file = GOLDEN.resolve(name);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(file, found);
        }
        return Files.readString(file);
    }
}
