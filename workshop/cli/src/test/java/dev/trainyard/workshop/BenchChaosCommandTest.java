package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.chaos.Chaos;
import dev.trainyard.simulation.fault.Fault;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BenchChaosCommandTest {

    private record Ended(int exitCode, String out, String err) {}

    private static Ended chaos(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var all = new ArrayList<>(List.of("bench", "chaos"));
        all.addAll(List.of(arguments));
        int exitCode = Workshop.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Ended(exitCode, out.toString(), err.toString());
    }

    @Test
    void tellsHowManyRoundsThereWereAndThatNothingBroke() throws IOException {
        var text = chaos("--seeds", "1", "--seed", "7", "--faults", "kill,cloud");
        var json = chaos("--seeds", "1", "--seed", "7", "--faults", "kill,cloud", "-o", "json");

        assertThat(text.out()).contains("rounds in", "seeds from 7", "1 clusters, no invariant broke");
        assertThat(text.exitCode()).isZero();
        assertThat(new ObjectMapper().readTree(json.out()).path("rounds").asLong())
                .isGreaterThan(1000);
    }

    @Test
    void whatBreaksIsToldWithWhatHappenedBeforeAndHowToSeeItAgain() {
        var faults = new LinkedHashSet<>(List.of(Fault.KILL, Fault.SPOT_STORM));
        var failure = new Chaos.Failure(
                12,
                faults,
                "size",
                61.5,
                "pool g1-spot grows to 5",
                List.of("1m scaler-0 dies", "1m1s scaler-1 leads"));

        var text = BenchChaosCommand.text(new Chaos.Report(1, 20, 3000, 2, failure));

        assertThat(text).isEqualTo("""
                3000 rounds in 2.0 s, 1500 in a second; seeds from 1
                BROKEN at 61.5 s: size: pool g1-spot grows to 5
                  1m scaler-0 dies
                  1m1s scaler-1 leads
                again: ./trainyard bench chaos --seeds 1 --seed 12 --faults kill,spot_storm
                """);
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertThat(chaos("--seeds", "0"))
                .extracting(Ended::exitCode, ended -> ended.err().contains("--seeds is 0"))
                .containsExactly(2, true);
        assertThat(chaos("--faults", "gremlins").exitCode()).isEqualTo(2);
    }
}
