package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the planner benchmark with small snapshots. Results of large ones: docs/benchmarks.md. */
class BenchPlannerTest {

    private record Ended(int status, String out, String err) {}

    @Test
    void measuresEveryCaseAndChecksItsPlans() throws IOException {
        var ended = run("--quick", "--output=json");

        assertThat(ended.status()).as(ended.err()).isZero();
        var report = new ObjectMapper().readTree(ended.out());
        assertThat(report.path("seed").asLong()).isEqualTo(1);
        assertThat(report.path("cases").findValuesAsText("name")).containsExactly("a", "b", "c", "d", "e");
        for (var planned : report.path("cases")) {
            for (var member : List.of("cold", "median", "p95", "cpu", "floor", "toFloor", "allocated", "machines")) {
                assertThat(planned.path(member).asDouble()).as(member).isPositive();
            }
            assertThat(planned.path("faults")).isEmpty();
            // In Karpenter's mix, some pods must share a host that other pods have filled.
            if (!planned.path("name").asText().equals("e")) {
                assertThat(planned.path("cost").asDouble())
                        .as("no plan is cheaper than the bound")
                        .isGreaterThanOrEqualTo(planned.path("bound").asDouble());
                assertThat(planned.path("unplaced").asInt()).isZero();
            }
        }
        assertThat(report.path("cases").get(0).path("machines").asInt())
                .as("the peer's 2,595 machines for 51,000 pods, of a twentieth of the pods")
                .isLessThanOrEqualTo(130);
        var gangs = report.path("gangs").get(0);
        assertThat(gangs.path("pods").asInt()).isEqualTo(8 * gangs.path("gangs").asInt());
        assertThat(gangs.path("ratio").asDouble()).isPositive();
        assertThat(gangs.path("faults")).isEmpty();
        assertThat(report.path("growth")).hasSize(3);
        assertThat(report.path("growth").get(0).path("points")).hasSize(3);
        assertThat(report.path("growth").get(0).path("exponent").isNumber()).isTrue();
        assertThat(report.path("targets").findValuesAsText("what")).contains("a: machines", "b: cost over bound");
    }

    @Test
    void printsTablesOfOneCase() {
        var ended = run("--quick", "--case=a", "--seed=7");

        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out())
                .contains("Seed 7. Quick: no measurement.")
                .contains("holds, 0 without a place")
                .contains("a: machines")
                .doesNotContain("Growth");
        assertThat(ended.err()).contains("a: 51,000 pods of two shapes");
    }

    @Test
    void saysWhichCasesThereAre() {
        var ended = run("--case=f");

        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains("--case: 'f' is not one of a, b, c, d, e, gangs, growth");
    }

    private static Ended run(String... flags) {
        var arguments = new ArrayList<>(List.of("bench", "planner"));
        arguments.addAll(List.of(flags));
        var out = new StringWriter();
        var err = new StringWriter();
        int status = Workshop.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));
        return new Ended(status, out.toString(), err.toString());
    }
}
