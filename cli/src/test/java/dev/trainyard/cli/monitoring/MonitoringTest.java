package dev.trainyard.cli.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.webhook.decision.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the alerts and the dashboard use existing metrics and labels. */
class MonitoringTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path MONITORING = ROOT.resolve("manifests/monitoring");
    private static final Pattern METRIC_ROW =
            Pattern.compile("^\\| `(trainyard_\\w+)` \\|([^|]*)\\|", Pattern.MULTILINE);
    private static final Pattern HISTOGRAM =
            Pattern.compile("\"(trainyard\\.[a-z.]+)\"\\)(?:(?!\\.register\\()[\\s\\S])*?\\.serviceLevelObjectives\\(");

    private static final Map<String, Set<String>> WORDS = Map.of(
            "outcome",
            Stream.concat(
                            Stream.of(Outcome.Reason.values()).map(Outcome.Reason::toString),
                            Stream.of("on-node", "upcoming", "growing", "not-ours"))
                    .collect(Collectors.toSet()),
            "kind",
            Stream.of(FailureKind.values()).map(FailureKind::toString).collect(Collectors.toSet()),
            "result",
            Stream.concat(Stream.of(FailureKind.values()).map(FailureKind::toString), Stream.of("ok"))
                    .collect(Collectors.toSet()),
            "decision",
            new HashSet<>(Decision.WORDS),
            "operation",
            Set.of("read", "grow", "withdraw", "terminate", "size", "spot-score"));

    @Test
    void everyExpressionAsksForMetricsAndLabelsThatThereAre() throws IOException {
        var labels = catalogue();
        var histograms = histograms();
        var expressions = new ArrayList<String>();
        alerts().forEach(alert -> expressions.add(alert.at("/expr").asText()));
        assertThat(expressions).hasSizeGreaterThan(8);
        dashboard().findValues("expr").forEach(expression -> expressions.add(expression.asText()));
        assertThat(expressions).hasSizeGreaterThan(30).allSatisfy(expression -> {
            var read = PromQl.parse(expression);
            assertThat(read.selectors()).isNotEmpty();
            read.selectors().forEach(selector -> {
                var known = labels(selector.metric(), labels, histograms);
                assertThat(known).as(expression).containsAll(selector.matchers().keySet());
                selector.matchers()
                        .forEach((label, matcher) ->
                                assertThat(matcher).as(expression).satisfies(value -> checkWords(label, value)));
            });
            read.groupings()
                    .forEach(grouping -> grouping.metrics()
                            .forEach(metric -> assertThat(labels(metric, labels, histograms))
                                    .as(expression)
                                    .containsAll(grouping.labels())));
        });
    }

    @Test
    void everyAlertSaysWhatItMeansAndWhereItStandsWhatToDo() throws IOException {
        var headings = Files.readAllLines(ROOT.resolve("docs/observing.md")).stream()
                .filter(line -> line.startsWith("#"))
                .map(line ->
                        line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT).replace(' ', '-'))
                .collect(Collectors.toSet());
        assertThat(alerts()).allSatisfy(alert -> {
            var runbook = alert.at("/annotations/runbook").asText().split("#", -1);
            assertThat(runbook[0]).isEqualTo("docs/observing.md");
            assertThat(headings).contains(runbook[1]);
            assertThat(alert.at("/annotations/summary").asText()).endsWith(".");
            assertThat(alert.at("/labels/severity").asText()).isIn("critical", "warning");
            assertThat(alert.at("/for").asText()).matches("\\d+m");
        });
        assertThat(alerts()).extracting(alert -> alert.at("/alert").asText()).doesNotHaveDuplicates();
    }

    @Test
    void labelsThatTextsSpeakOfAreLeftByTheExpression() throws IOException {
        assertThat(alerts()).allSatisfy(alert -> {
            var spoken = new TreeSet<String>();
            var used = Pattern.compile("\\$labels\\.(\\w+)")
                    .matcher(alert.at("/annotations/summary").asText());
            while (used.find()) {
                spoken.add(used.group(1));
            }
            var left = PromQl.parse(alert.at("/expr").asText()).groupings().stream()
                    .flatMap(grouping -> grouping.labels().stream())
                    .collect(Collectors.toSet());
            assertThat(left).containsAll(spoken);
        });
    }

    /** The Event MachinesBreak counts the machines of one size, and the nodes of a pool also while its cloud cannot be read. */
    @Test
    void alertOfBrokenMachinesCountsAsItsEventDoes() throws IOException {
        var alert = alerts().stream()
                .filter(rule -> rule.at("/alert").asText().equals("TrainyardMachinesBreak"))
                .findFirst()
                .orElseThrow();
        var read = PromQl.parse(alert.at("/expr").asText());

        assertThat(read.groupings())
                .filteredOn(grouping -> grouping.metrics().contains("trainyard_scaler_pool_broken"))
                .isNotEmpty()
                .allSatisfy(grouping -> assertThat(grouping.labels()).contains("pool", "size"));
        assertThat(read.selectors())
                .extracting(PromQl.Selector::metric)
                .containsOnly("trainyard_scaler_pool_broken", "trainyard_scaler_nodes");
    }

    /** The status page and the dashboard use the same reasons for unserved pods. Alerts cover all reasons, with the exceptions below. */
    @Test
    void whatNothingIsPlannedForIsTheSameEverywhere() throws IOException {
        var reasons = Stream.of(Outcome.Reason.values())
                .map(Outcome.Reason::toString)
                .collect(Collectors.toCollection(TreeSet::new));

        var counted = dashboard().findValues("expr").stream()
                .map(JsonNode::asText)
                .filter(expression -> expression.contains("{outcome=~"))
                .toList();
        assertThat(counted).hasSize(1);
        assertThat(words(counted.get(0))).isEqualTo(reasons);

        var page = Files.readString(ROOT.resolve("scaler/src/main/resources/dev/trainyard/scaler/page/page.js"));
        var marked = Pattern.compile("STUCK = new Set\\(\\[([^\\]]*)]").matcher(page);
        assertThat(marked.find()).isTrue();
        assertThat(marked.group(1).replaceAll("[' ]", "").split(","))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(reasons.stream(), Stream.of("unplanned")).toList());

        var alerted = new TreeSet<String>();
        for (var alert : alerts()) {
            alerted.addAll(words(alert.at("/expr").asText()));
        }
        // "unreadable" has the alert TrainyardCloudSilent, "asking" ends within seconds, the operator chose
        // "below-cutoff", and the author of the training chose "ahead-of-deadline".
        reasons.removeAll(Set.of("unreadable", "asking", "below-cutoff", "ahead-of-deadline"));
        assertThat(alerted).isEqualTo(reasons);
    }

    private static Set<String> words(String expression) {
        return Pattern.compile("outcome=~?\"([^\"]*)\"")
                .matcher(expression)
                .results()
                .flatMap(match -> Stream.of(match.group(1).split("\\|")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void panelsOfTheDashboardDoNotOverlapAndHaveNumbersOfTheirOwn() throws IOException {
        var taken = new HashSet<String>();
        var ids = new ArrayList<Integer>();
        for (var panel : dashboard().at("/panels")) {
            ids.add(panel.at("/id").asInt());
            var place = panel.at("/gridPos");
            assertThat(place.at("/x").asInt() + place.at("/w").asInt()).isLessThanOrEqualTo(24);
            for (int x = 0; x < place.at("/w").asInt(); x++) {
                for (int y = 0; y < place.at("/h").asInt(); y++) {
                    assertThat(taken.add((place.at("/x").asInt() + x) + ","
                                    + (place.at("/y").asInt() + y)))
                            .as(panel.at("/title").asText())
                            .isTrue();
                }
            }
        }
        assertThat(ids).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sum(rate(a[5m])",
                "sum(rate(a))",
                "rate(a[5x])",
                "a{b=c}",
                "a{b=\"c\"} > ",
                "summ(a)",
                "a[5m]",
                "sum by pool (a)",
                "histogram_quantile(sum(a), 0.5)",
                "1 or a",
                "a > on b",
                "a or on (b) group_left () c",
                "a > group_left () c",
                "a ? b"
            })
    void whatPrometheusWouldNotTakeIsRefused(String expression) {
        assertThatThrownBy(() -> PromQl.parse(expression)).isInstanceOf(PromQl.Malformed.class);
    }

    private static void checkWords(String label, String matcher) {
        var words = WORDS.get(label);
        if (words != null) {
            assertThat(words)
                    .containsAll(List.of(matcher.replaceAll("^[!=~]+\"|\"$", "").split("\\|")));
        }
    }

    /** Returns the labels of each metric, by its name in docs/reference.md. */
    private static Map<String, Set<String>> catalogue() throws IOException {
        var found = new TreeMap<String, Set<String>>();
        var rows = METRIC_ROW.matcher(Files.readString(ROOT.resolve("docs/reference.md")));
        while (rows.find()) {
            found.put(
                    rows.group(1),
                    Pattern.compile("`(\\w+)`")
                            .matcher(rows.group(2))
                            .results()
                            .map(match -> match.group(1))
                            .collect(Collectors.toSet()));
        }
        return found;
    }

    private static Set<String> histograms() throws IOException {
        var found = new TreeSet<String>();
        try (var files = Files.walk(ROOT)) {
            for (var file :
                    (Iterable<Path>)
                            files.filter(path -> path.toString().endsWith(".java")
                                    && path.toString().contains("/src/main/java/"))::iterator) {
                HISTOGRAM
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(match -> found.add(match.group(1).replace('.', '_') + "_seconds"));
            }
        }
        return found;
    }

    /** Returns the labels of a series. A timer has several series. A histogram has one more, {@code ..._bucket} with label {@code le}. */
    private static Set<String> labels(String series, Map<String, Set<String>> catalogue, Set<String> histograms) {
        var metric = series.replaceFirst("_(count|sum|bucket)$", "");
        boolean isPart = !metric.equals(series);
        assertThat(catalogue).containsKey(metric);
        assertThat(isPart)
                .as(series + ": only timers have such parts")
                .isEqualTo(metric.endsWith("_seconds")
                        && !metric.contains("timestamp")
                        && !metric.endsWith("age_seconds"));
        var labels = new HashSet<>(catalogue.get(metric));
        if (series.endsWith("_bucket")) {
            assertThat(histograms).as("histograms").contains(metric);
            labels.add("le");
        }
        return labels;
    }

    private static List<JsonNode> alerts() throws IOException {
        var rules = new ObjectMapper(new YAMLFactory())
                .readTree(MONITORING.resolve("alerts.yaml").toFile())
                .at("/spec/groups/0/rules");
        var alerts = new ArrayList<JsonNode>();
        rules.forEach(alerts::add);
        return alerts;
    }

    private static JsonNode dashboard() throws IOException {
        return new ObjectMapper().readTree(MONITORING.resolve("dashboard.json").toFile());
    }
}
