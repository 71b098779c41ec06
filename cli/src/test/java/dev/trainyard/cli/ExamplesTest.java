package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.runtime.configuration.FileConfiguration;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that pools and tiers of {@code manifests/examples} are valid, and that the example jobs get the intended tier. */
class ExamplesTest {

    private static final Path EXAMPLES = Path.of(System.getProperty("trainyard.root"), "manifests/examples");

    @ParameterizedTest
    @CsvSource({"'',         5, 3", "acs-engine, 3, 3", "aks-engine, 3, 2", "kops,       2, 2", "openb,      3, 2"})
    void areWithoutProblems(String directory, int pools, int tiers) {
        try (var configuration = FileConfiguration.read(EXAMPLES.resolve(directory))) {
            var catalogue = configuration.current();

            assertThat(catalogue.problems()).isEmpty();
            assertThat(catalogue.pools()).hasSize(pools);
            assertThat(catalogue.tiers()).hasSize(tiers);
        }
    }

    /** GPU pools have the label {@code gpu}, by which {@code manifests/components/pods} keeps Trainyard's own pods off their machines. */
    @ParameterizedTest
    @ValueSource(strings = {"", "acs-engine", "aks-engine", "kops", "openb"})
    void trainyardKeepsOffMachinesWithGpus(String directory) {
        try (var configuration = FileConfiguration.read(EXAMPLES.resolve(directory))) {
            assertThat(configuration.current().pools().values().stream().filter(pool -> pool.promisedGpus() > 0))
                    .isNotEmpty()
                    .allSatisfy(pool -> assertThat(pool.ownLabels()).containsEntry("gpu", "true"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "tftrain.yaml,        '',         light-gpu",
        "tftrain-legacy.yaml, '',         light-gpu",
        "distributed.yaml,    '',         light-gpu",
        "cpu.yaml,            '',         cpu",
        "tftrain.yaml,        acs-engine, light-gpu",
        "cpu.yaml,            acs-engine, cpu",
        "tftrain.yaml,        aks-engine, gpu",
        "tftrain.yaml,        kops,       gpu",
        "cpu.yaml,            kops,       cpu",
        "tftrain.yaml,        openb,      gpu",
        "cpu.yaml,            openb,      cpu"
    })
    void jobsGetTheirTier(String job, String directory, String tier) {
        var admitted = new StringWriter();
        var remarks = new StringWriter();
        var commandLine = Main.commandLine().setOut(new PrintWriter(admitted)).setErr(new PrintWriter(remarks));

        int ended = commandLine.execute(
                "mutate",
                "-f",
                EXAMPLES.resolve(job).toString(),
                "--resources",
                EXAMPLES.resolve(directory).toString());

        assertThat(ended).isZero();
        assertThat(remarks.toString()).doesNotContain("too large");
        assertThat(admitted.toString())
                .containsPattern("trainyard.dev/tier: \"?" + tier + "\"?\n")
                .contains("schedulerName: trainyard-scheduler");
    }
}
