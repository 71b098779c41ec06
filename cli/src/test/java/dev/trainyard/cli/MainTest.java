package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that wrong usage gives a message of one or two lines with the remedy. */
class MainTest {

    @Test
    void readsTheFlagsOfTheCalledCommandOnly() {
        assertThat(Main.commandLine("webhook", "--help").getSubcommands()).containsOnlyKeys("webhook");
        assertThat(Main.commandLine("help", "webhook").getSubcommands()).containsKeys("webhook", "scaler", "help");
        assertThat(Main.commandLine("wehbook").getSubcommands()).containsKeys("webhook", "scaler", "help");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "scaler --tls-dir d --listen foo | Invalid value for option '--listen': 'foo' is not HOST:PORT",
                "scaler --tls-dir d --scan-interval soon | '--scan-interval': 'soon' is not a duration such as 90s, 15m or 1h30m",
                "scaler | trainyard: Missing required argument (specify one of these): (--tls-dir=DIR | --tls-secret=NAME)",
                "simulat | Did you mean",
                "simulate --resources d --workload w --seed 1e12 | Invalid value for option '--seed': '1e12' is not a whole number, such as 12",
                "certs issue --dir d --name n --days=-3000000000 | Invalid value for option '--days': -3000000000 is too small: expected at least -2147483647",
                "certs issue --dir d --name n --client --both | --client, --both are mutually exclusive",
                "certs issue --dir d --name n --days 0 | Invalid value for option '--days': expected at least 1, but is 0",
                "webhook --tls-dir d --drain=-5 | --drain: expected 0 or more seconds, but is -5",
                "mutate -f x -n Bad_NS! | --namespace: 'Bad_NS!' is not the name of a namespace",
                "extender --tls-dir d --scheduler-lease x | '--scheduler-lease': 'x' does not name a Lease; expected NAMESPACE/NAME",
                "extender --tls-dir d --policy maybe | expected one of",
            })
    void aWrongCallIsExplainedWithoutAPageOfHelp(String call, String explanation) {
        var err = new StringWriter();
        int exitCode = Main.commandLine().setErr(new PrintWriter(err)).execute(call.split(" "));
        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString())
                .contains(explanation)
                .contains("--help'")
                .hasLineCount(explanation.contains("mean") ? 3 : 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "webhook --tls-dir target/tls --kubeconfig no-such-file | kubeconfig no-such-file cannot be read",
                "policy --resources no-such-file | no-such-file: there is no such file",
                "simulate --resources ../manifests/examples --workload none.csv | none.csv: there is no such file",
            })
    void aWrongValueIsExplainedInOneLine(String call, String explanation) {
        var err = new StringWriter();
        int exitCode = Main.commandLine().setErr(new PrintWriter(err)).execute(call.split(" "));
        assertThat(exitCode).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("trainyard: ")
                .contains(explanation)
                .hasLineCount(1);
    }
}
