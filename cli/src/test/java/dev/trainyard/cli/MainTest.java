package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who calls it wrongly is told how, in a line or two. */
class MainTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "scaler --tls-dir d --listen foo | Invalid value for option '--listen': 'foo' is not HOST:PORT",
                "scaler --tls-dir d --scan-interval soon | '--scan-interval': 'soon' is not a duration such as 90s, 15m or 1h30m",
                "scaler | trainyard: Missing required argument (specify one of these): (--tls-dir=DIR | --tls-secret=NAME)",
                "demo --without kubelet | Invalid value for option '--without'",
                "demmo | Did you mean",
                "bench chaos --seeds 1e12 | Invalid value for option '--seeds': '1e12' is not a whole number, such as 12",
                "bench chaos --seeds 3000000000 | Invalid value for option '--seeds': 3000000000 is too large: expected at most 2147483647",
                "bench chaos --seed 1e12 | Invalid value for option '--seed': '1e12' is not a whole number, such as 12",
                "certs issue --dir d --name n --days 0 | Invalid value for option '--days': 0 is not a number of days from 1 on",
                "demo --scenario sopt | there is no scenario 'sopt'; there are: spot, fallback, burst, tiers",
                "demo --kubernetes 1.99 | choose one of 1.36, 1.32",
                "demo --kubernetes simulated --keep | --kubernetes simulated: --keep needs a control plane",
                "demo --kubernetes simulated --cloud aws | --kubernetes simulated: --cloud aws needs a control plane",
                "demo --patience -5 | --patience: -5 is not a number of seconds to wait",
                "bench | bench: say what to measure: webhook, extender, scheduler, reaction, scoring",
                "bench scheduler --nodes 0 | --nodes: 0 is not a number from 1 to 5000",
                "bench scheduler --nodes 10 --pods 31 | --pods: 31 is not a number from 2 to 30, which is 3 for each of the 10 nodes",
                "bench webhook --connections 0 | --connections: 0 is not a number from 1 to 1000",
                "bench webhook --seconds 0 | --seconds: expected a number above 0",
                "webhook --tls-dir d --drain=-5 | --drain: -5 is not a number of seconds",
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
