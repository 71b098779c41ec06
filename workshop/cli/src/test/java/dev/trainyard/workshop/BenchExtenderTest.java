package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.extender.ExtenderBench;
import dev.trainyard.bench.extender.ExtenderBenchOptions;
import dev.trainyard.bench.extender.Verb;
import dev.trainyard.bench.measure.ReferenceServer;
import dev.trainyard.cli.Main;
import dev.trainyard.workshop.cluster.ServerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the benchmark produces measurements. Their values are not tested, because 0.1 s under load is too short. */
@Tag("slow")
class BenchExtenderTest {

    private static final Duration MOMENT = Duration.ofMillis(100);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void measuresTheVerbsBesideTheFloorAndTheFirstCalls(boolean allNodes) {
        var verbs = allNodes ? List.of(Verb.FILTER, Verb.PRIORITIZE) : List.of(Verb.CHOOSE);
        var jvm = ServerJvm.command(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
        var progress = new ArrayList<String>();
        var options = options(jvm, List.of(Main.class.getName(), "extender"), verbs);

        try (var bench = new ExtenderBench(options, progress::add)) {
            var report = bench.run();

            assertThat(report.comparisons())
                    .filteredOn(comparison -> comparison.beside() == ReferenceServer.FLOOR)
                    .extracting(comparison -> comparison.connections())
                    .containsExactly(1, 2);
            int baselines = progress.stream().anyMatch(line -> line.startsWith("no comparison with Go: ")) ? 1 : 2;
            assertThat(report.comparisons()).hasSize(2 * baselines);
            assertThat(report.comparisons()).allSatisfy(comparison -> {
                assertThat(comparison.podsPerSecond()).isPositive();
                assertThat(comparison.verbs())
                        .extracting(measured -> measured.verb())
                        .containsExactlyElementsOf(verbs);
                assertThat(comparison.verbs()).allSatisfy(verb -> {
                    assertThat(verb.extender().p50()).isPositive();
                    assertThat(verb.baseline().p50()).isPositive();
                });
            });
            assertThat(report.cold())
                    .hasSize(baselines * verbs.size())
                    .allSatisfy(cold -> assertThat(cold.calls()).isEqualTo(50));
        }
        assertThat(progress).contains("200 names, 2 connections");
    }

    private static ExtenderBenchOptions options(List<String> jvm, List<String> extender, List<Verb> verbs) {
        return new ExtenderBenchOptions(jvm, extender, verbs, 200, List.of(200), List.of(1, 2), 1, MOMENT, MOMENT);
    }

    @Test
    void callsChooseAloneUnlessAllNodesAreWanted() {
        var options = ExtenderBenchOptions.quick(List.of(), List.of());

        assertThat(options.verbs()).containsExactly(Verb.CHOOSE);
        assertThat(options.withAllNodes().verbs()).containsExactly(Verb.FILTER, Verb.PRIORITIZE);
    }

    @Test
    void saysWhichNumberOfNamesItCannotAskAbout() {
        assertThatThrownBy(
                        () -> ExtenderBenchOptions.quick(List.of(), List.of()).withNames(List.of(100, 5001)))
                .hasMessage("--names: 5001 is not a number from 1 to 5000");
    }
}
