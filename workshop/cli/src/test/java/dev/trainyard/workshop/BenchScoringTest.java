package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the scoring benchmark with a tiny trace, and the extender over real HTTPS. Results of large traces: docs/benchmarks.md. */
@Tag("slow")
class BenchScoringTest {

    private static final int SHARE_MILLI = 460;

    @TempDir
    private static Path directory;

    private static Path nodes;
    private static Path pods;

    private record Ended(int status, String out, String err) {}

    @BeforeAll
    static void writeTrace() throws IOException {
        var machines = new StringBuilder("sn,cpu_milli,memory_mib,gpu,model\n");
        for (int i = 0; i < 12; i++) {
            machines.append("node-%d,%d,262144,%d,%s\n"
                    .formatted(i, i < 8 ? 96_000 : 16_000, i < 8 ? 8 : 2, i % 2 == 0 ? "G2" : "T4"));
        }
        var asked = new StringBuilder("gpu_spec,name,cpu_milli,memory_mib,num_gpu,gpu_milli\n");
        for (int i = 0; i < 100; i++) {
            var gpus = i % 10 == 0 ? "0,0" : i % 10 == 1 ? "2,1000" : i % 3 == 0 ? "1," + SHARE_MILLI : "1,1000";
            asked.append("%s,pod-%d,%d,8192,%s\n".formatted(i % 7 == 0 ? "T4|P100" : "", i, 1000 * (2 + i % 5), gpus));
        }
        nodes = Files.writeString(directory.resolve("nodes.csv"), machines);
        pods = Files.writeString(directory.resolve("tiny.csv"), asked);
    }

    @Test
    void reportsEveryPolicyAndBaselineAlikeInEveryRun() throws IOException {
        var once = json("--policy=pack", "--policy=fragmentation", "--seeds=3");

        assertThat(once.path("trace").asText()).isEqualTo("tiny");
        assertThat(once.path("policies").findValuesAsText("name"))
                .containsExactly(
                        "pack",
                        "fragmentation",
                        "random",
                        "kube-default",
                        "most-allocated-gpu",
                        "best-fit",
                        "fgd-published");
        for (var policy : once.path("policies")) {
            assertThat(policy.path("allocated100").asDouble()).isBetween(50.0, 100.0);
            assertThat(policy.path("allocated130").asDouble())
                    .isBetween(policy.path("allocated100").asDouble(), 100.0);
            assertThat(policy.path("sd").isNumber()).isTrue();
            assertThat(policy.path("p50Micros").asDouble()).isPositive();
            assertThat(policy.path("unplaced").fieldNames()).toIterable().containsExactly("0", "shared", "1", "2");
        }
        var again = json("--policy=pack", "--policy=fragmentation", "--seeds=3");
        assertThat(again.path("sha256")).isEqualTo(once.path("sha256"));
        assertThat(runs(again))
                .as("two replays at a time must not disturb each other")
                .isEqualTo(runs(once));
    }

    @Test
    void printsTablesWithoutTheLogOfTheExtenders() {
        var ended = run("--seeds=1", "--whole-gpus", "--ties=name", "--percentage-of-nodes=default");

        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out())
                .startsWith("tiny, whole GPUs only: 12 nodes, 72 GPUs; 1 orders of about ")
                .contains("looks at its default share of the nodes, ties: name")
                .contains("\nfragmentation *")
                .contains("fragmentation / MostAllocated on GPUs, in this run");
        assertThat(ended.err()).contains("tiny: 12 nodes, 72 GPUs").doesNotContain("INFO");
    }

    @Test
    void saysWhatIsWrongWithFlagsAndFiles() {
        var noSeeds = run("--seeds=0");
        assertThat(noSeeds.status()).isEqualTo(2);
        assertThat(noSeeds.err()).contains("--seeds: 0 is not a number from 1 to 1000");

        var swapped = execute("--nodes=" + pods, "--pods=" + nodes);
        assertThat(swapped.status()).isEqualTo(1);
        assertThat(swapped.err())
                .contains("tiny.csv, line 1: column sn is missing")
                .doesNotContain("\tat ");
    }

    private static JsonNode json(String... flags) throws IOException {
        var all = new ArrayList<>(List.of(flags));
        all.add("--output=json");
        var ended = run(all.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        return new ObjectMapper().readTree(ended.out());
    }

    private static List<JsonNode> runs(JsonNode report) {
        return report.path("policies").findValues("runs");
    }

    private static Ended run(String... flags) {
        var all = new ArrayList<>(List.of("--nodes=" + nodes, "--pods=" + pods));
        all.addAll(List.of(flags));
        return execute(all.toArray(String[]::new));
    }

    private static Ended execute(String... flags) {
        var arguments = new ArrayList<>(List.of("bench", "scoring"));
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
