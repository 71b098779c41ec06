package dev.trainyard.bench.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.ReferenceServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A golden-file test. Run with -Dtrainyard.update=true to rewrite the file. */
class WebhookReportTextTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "workshop/bench/src/test/resources/golden/webhook.txt");

    @Test
    void looksLikeThis() throws IOException {
        var floor = new Figures(30_000, 500, 1000, 4000, 20, 0.6);
        var go = new Figures(9750, 1500, 2100, 9000, 62.5, 0.9);
        var report = new WebhookReport(
                "2 CPUs, Linux amd64, Java 17.0.15",
                List.of("-XX:+UseSerialGC"),
                5,
                0.5,
                List.of(
                        new WebhookComparison(
                                ReferenceServer.FLOOR,
                                4096,
                                ReviewKind.MUTATED,
                                16,
                                new Figures(19_500, 750, 1400, 5000, 31.25, 0.61),
                                floor,
                                0.65,
                                1.4,
                                1.56),
                        new WebhookComparison(
                                ReferenceServer.FLOOR,
                                65_536,
                                ReviewKind.UNTOUCHED,
                                64,
                                new Figures(9000, 7000, 16_000, 40_000, 110.5, 0.99),
                                floor,
                                0.3,
                                16,
                                5.5),
                        new WebhookComparison(
                                ReferenceServer.GO,
                                4096,
                                ReviewKind.MUTATED,
                                16,
                                new Figures(19_500, 750, 1400, 5000, 31.25, 0.61),
                                go,
                                2,
                                0.67,
                                0.5)),
                250L << 20,
                30L << 20,
                List.of(new Start(1234.5, 140L << 20, 12.34, 8), new Start(1600, null, 15, 30)),
                List.of(new Start(9.5, 12L << 20, 3.4, 1.25)));

        var text = WebhookReportText.of(report);

        if (Boolean.getBoolean("trainyard.update")) {
            Files.createDirectories(GOLDEN.getParent());
            Files.writeString(GOLDEN, text);
        }
        assertThat(text).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void whatWasNotMeasuredIsNotMet() {
        var nothing = new WebhookReport("", List.of(), 1, 1, List.of(), null, null, List.of(), List.of());

        assertThat(nothing.targets()).hasSize(5).noneMatch(Goal::met);
        assertThat(WebhookReportText.of(nothing)).contains("not measured").doesNotContain("MISSED");
    }

    @Test
    void aRunWithoutGoHasNoTableOfGo() {
        var figures = new Figures(1, 1, 1, 1, 1, 1);
        var beside =
                new WebhookComparison(ReferenceServer.FLOOR, 4096, ReviewKind.MUTATED, 1, figures, figures, 1, 1, 1);
        var start = new Start(1, null, 1, 1);
        var report = new WebhookReport("", List.of(), 1, 1, List.of(beside), null, null, List.of(start), List.of());

        assertThat(WebhookReportText.of(report)).doesNotContain(" Go ratio", "Memory of Go");
    }

    @Test
    void onlyTheFloorCountsForTargets() {
        var figures = new Figures(1, 1, 1, 1, 1, 1);
        var beside = new WebhookComparison(ReferenceServer.GO, 4096, ReviewKind.MUTATED, 1, figures, figures, 9, 9, 9);
        var report = new WebhookReport("", List.of(), 1, 1, List.of(beside), null, null, List.of(), List.of());

        assertThat(report.targets()).extracting(Goal::value).containsOnlyNulls();
    }

    @Test
    void jsonHasTargets() {
        var json = new ObjectMapper()
                .valueToTree(new WebhookReport("", List.of(), 1, 1, List.of(), null, null, List.of(), List.of()));

        assertThat(json.at("/targets").size()).isEqualTo(5);
    }
}
