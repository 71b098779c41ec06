package dev.trainyard.bench.scoring.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.configuration.ResourceFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceReaderTest {

    private static final String NODES = """
            sn,cpu_milli,memory_mib,gpu,model
            node-0,64000,262144,2,P100
            node-1,96000,393216,0,
            """;

    @TempDir
    private Path directory;

    @Test
    void readsNodesAndPodsWithAllColumns() throws IOException {
        var trace = read(NODES, """
                name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
                whole,12000,16384,1,1000,,LS,Running,0,12537496,0
                share,6000,12288,1,460,V100M16|V100M32,BE,Failed,427061,12902960,
                cpu,8000,30517,0,0,,LS,Running,1,2,1
                """);

        assertThat(trace.name()).isEqualTo("openb_pod_list_some");
        assertThat(trace.nodes())
                .containsExactly(
                        new TraceNode("node-0", 64_000, 262_144, 2, "P100"),
                        new TraceNode("node-1", 96_000, 393_216, 0, ""));
        assertThat(trace.pods())
                .containsExactly(
                        new TracePod("whole", new TraceShape(12_000, 16_384, 1, 1000, List.of())),
                        new TracePod("share", new TraceShape(6000, 12_288, 1, 460, List.of("V100M16", "V100M32"))),
                        new TracePod("cpu", new TraceShape(8000, 30_517, 0, 0, List.of())));
        assertThat(trace.capacityMilli()).isEqualTo(2000);
        assertThat(trace.wholeGpusOnly().pods()).extracting(TracePod::name).containsExactly("whole", "cpu");
    }

    @Test
    void findsColumnsByNameInAnyOrderAndNeedsFiveOnly() throws IOException {
        var trace = read(
                "model,gpu,memory_mib,cpu_milli,sn\r\nT4,4,1024,8000,a\r\n",
                "\uFEFFgpu_milli,num_gpu,name,cpu_milli,memory_mib\n1000,8,big,64000,131072\n\n");

        assertThat(trace.nodes()).containsExactly(new TraceNode("a", 8000, 1024, 4, "T4"));
        assertThat(trace.pods())
                .containsExactly(new TracePod("big", new TraceShape(64_000, 131_072, 8, 1000, List.of())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "a,x,1024,1,1000;pods.csv, line 2: cpu_milli is 'x'; expected a whole number from 0 to 1000000000",
                "a,-1,1024,1,1000;pods.csv, line 2: cpu_milli is '-1'; expected a whole number from 0 to 1000000000",
                "a,1,1.5,1,1000;pods.csv, line 2: memory_mib is '1.5'; expected a whole number",
                "a,1,1,,1000;pods.csv, line 2: num_gpu is ''; expected a value",
                "a,1,1,1,0;pods.csv, line 2: gpu_milli is '0'; expected a whole number from 1 to 1000",
                "a,1,1,1,1001;pods.csv, line 2: gpu_milli is '1001'; expected a whole number from 1 to 1000",
                "a,1,1,2,500;pods.csv, line 2: gpu_milli is '500'; expected 1000, since num_gpu is 2 and only one GPU can be shared",
                "a,1,1,1;pods.csv, line 2: has 4 values; expected 5, one for each column of the header",
                "\"a\",1,1,1,1000;pods.csv, line 2: has a quotation mark; expected plain values between commas",
            })
    void saysWhatIsWrongWithALine(String line, String message) throws IOException {
        var pods = Files.writeString(
                directory.resolve("pods.csv"), "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" + line + "\n");
        var nodes = Files.writeString(directory.resolve("nodes.csv"), NODES);

        assertThatThrownBy(() -> TraceReader.read(nodes, pods))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining(message);
    }

    @Test
    void saysWhichColumnIsMissing() {
        assertThatThrownBy(() -> read("name,cpu_milli\na,1\n", "name\na\n"))
                .hasMessageContaining("nodes.csv, line 1: column sn is missing from 'name,cpu_milli'")
                .hasMessageContaining("sn,cpu_milli,memory_mib,gpu,model");
    }

    @Test
    void saysThatAFileIsMissingOrHasNothing() {
        assertThatThrownBy(() -> TraceReader.read(directory.resolve("none.csv"), directory.resolve("none.csv")))
                .hasMessageContaining("none.csv: there is no such file; expected a CSV file");
        assertThatThrownBy(() -> read("", "")).hasMessageContaining("nodes.csv: is empty");
        assertThatThrownBy(() -> read("sn,cpu_milli,memory_mib,gpu,model\n", "x"))
                .hasMessageContaining("nodes.csv: has a header only");
    }

    @Test
    void refusesAClusterWithoutGpusAndANameThatIsThereTwice() {
        var pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,0,0\n";
        assertThatThrownBy(() -> read("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\n", pods))
                .hasMessageContaining("no node has a GPU");
        assertThatThrownBy(() -> read("sn,cpu_milli,memory_mib,gpu,model\na,1,1,1,T4\na,1,1,1,T4\n", pods))
                .hasMessageContaining("line 3: sn is 'a'; expected a name that no other node has");
    }

    private Trace read(String nodes, String pods) throws IOException {
        return TraceReader.read(
                Files.writeString(directory.resolve("nodes.csv"), nodes),
                Files.writeString(directory.resolve("openb_pod_list_some.csv"), pods));
    }
}
