package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Golden-file tests. Run with -Dtrainyard.update=true to rewrite the files. */
class ScoringReportTextTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "workshop/bench/src/test/resources/golden");

    private static final ScoringReport REPORT = new ScoringReport(
            "openb_pod_list_default",
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            1213,
            6212,
            10_812,
            10,
            false,
            "random",
            "100",
            List.of(
                    policy("fragmentation", true, 95.423, 1.9, 0.0215, 10),
                    policy("most-allocated-gpu", false, 94.51, 0, 1, 0)),
            List.of(
                    ScoringReport.Target.of("fragmentation", "FGD as published for this trace", 95.4234, 95.39, false),
                    ScoringReport.Target.of("fragmentation", "asked for of whole GPUs", 99.7999, 99.8, true)));

    @Test
    void looksLikeThisForPeople() throws IOException {
        matches("scoring.txt", ScoringReportText.of(REPORT));
        assertThat(ScoringReportText.of(REPORT).lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void looksLikeThisForPrograms() throws IOException {
        matches(
                "scoring.json",
                new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(REPORT) + "\n");
    }

    @Test
    void aFigureIsJudgedBeforeItIsRounded() {
        assertThat(ScoringReport.Target.of("p", "w", 95.3899999, 95.39, false).met())
                .isFalse();
        assertThat(ScoringReport.Target.of("p", "w", 95.39, 95.39, false).met()).isFalse();
        assertThat(ScoringReport.Target.of("p", "w", 99.8, 99.8, true).met()).isTrue();
    }

    private static ScoringReport.Policy policy(
            String name, boolean overHttp, double at130, double difference, double p, int won) {
        return new ScoringReport.Policy(
                name,
                overHttp,
                at130,
                at130 - 0.3,
                0.08,
                0.11,
                difference,
                won,
                p,
                sizes(0, 300, 1000.25, 0.5, 12),
                sizes(1440, 4100, 5100, 41, 58),
                1234.5,
                4321.4,
                List.of(at130, at130));
    }

    private static Map<String, Double> sizes(double... values) {
        var sizes = new LinkedHashMap<String, Double>();
        var names = List.of("0", "shared", "1", "2", "8");
        for (int i = 0; i < values.length; i++) {
            sizes.put(names.get(i), values[i]);
        }
        return sizes;
    }

    private static void matches(String file, String text) throws IOException {
        var golden = GOLDEN.resolve(file);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.createDirectories(GOLDEN);
            Files.writeString(golden, text);
        }
        assertThat(text).isEqualTo(Files.readString(golden));
    }
}
