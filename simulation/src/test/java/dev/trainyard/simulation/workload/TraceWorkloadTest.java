package dev.trainyard.simulation.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.simulation.workload.TraceWorkload.Sharing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceWorkloadTest {

    private static final String HEADER =
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time\n";

    @TempDir
    private Path directory;

    private Workload read(String rows, Duration from, Optional<Duration> length, Sharing sharing) throws IOException {
        var file = Files.writeString(directory.resolve("trace.csv"), HEADER + rows);
        return TraceWorkload.read(file, from, length, sharing);
    }

    @Test
    void aRowIsAJobThatRunsAsLongAsThePodWasThere() throws IOException {
        var task = read("a,4000,1024,2,1000,V100|A100,100,160\n", Duration.ZERO, Optional.empty(), Sharing.WHOLE)
                .tasks()
                .get(0);

        assertThat(task.arrives()).isEqualTo(Duration.ofSeconds(100));
        assertThat(task.runsFor()).contains(Duration.ofSeconds(60));
        assertThat(task.kind()).isEqualTo("Job");
        assertThat(task.template().get().at("/spec/containers/0/resources").toString())
                .isEqualTo(
                        "{\"requests\":{\"cpu\":\"4000m\",\"memory\":\"1024Mi\"},\"limits\":{\"nvidia.com/gpu\":\"2\"}}");
        assertThat(task.template().get().at("/metadata/annotations").toString())
                .isEqualTo("{\"trainyard.dev/gpu-product\":\"V100|A100\"}");
    }

    @Test
    void aPodThatSharesAGpuSaysSoIfPartsAreAskedFor() throws IOException {
        var row = "a,4000,1024,1,460,,0,60\n";

        var whole = read(row, Duration.ZERO, Optional.empty(), Sharing.WHOLE)
                .tasks()
                .get(0);
        var part =
                read(row, Duration.ZERO, Optional.empty(), Sharing.PART).tasks().get(0);

        assertThat(whole.template().get().toString())
                .contains("\"nvidia.com/gpu\":\"1\"")
                .doesNotContain("gpu-milli");
        assertThat(part.template().get().toString())
                .contains("\"nvidia.com/gpu\":\"1\"")
                .contains("\"trainyard.dev/gpu-milli\":\"460\"");
    }

    @Test
    void onlyWhatArrivesInTheTimeThatIsAskedForCounts() throws IOException {
        var rows = "before,1,1,0,0,,99,500\nfirst,1,1,0,0,,100,500\nlast,1,1,0,0,,159,500\nafter,1,1,0,0,,160,500\n";

        var tasks = read(rows, Duration.ofSeconds(100), Optional.of(Duration.ofSeconds(60)), Sharing.WHOLE)
                .tasks();

        assertThat(tasks).extracting(Task::name).containsExactly("first", "last");
        assertThat(tasks).extracting(Task::arrives).containsExactly(Duration.ZERO, Duration.ofSeconds(59));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a,1,1,0,0,,-5,10; line 2: creation_time is '-5'; expected a whole number from 0",
                "a,1,1,0,0,,20,10; line 2: deletion_time is '10'; expected a time not before creation_time, which is 20",
                "a,1,1,1,0,,1,10; line 2: gpu_milli is '0'; expected a whole number from 1 to 1000",
                "a,x,1,0,0,,1,10; line 2: cpu_milli is 'x'; expected a whole number",
                "a,1,1,2,500,,1,10; line 2: gpu_milli is '500'; expected 1000, since num_gpu is 2",
                "a,1,1,0,0,,1; line 2: has 7 values",
                ",1,1,0,0,,1,10; line 2: name is ''; expected a value",
            })
    void aValueThatCannotBeIsNamed(String row, String message) {
        assertThatThrownBy(() -> read(row + "\n", Duration.ZERO, Optional.empty(), Sharing.WHOLE))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining(message.strip().split(";", 2)[0]);
    }

    @Test
    void aMissingColumnIsNamed() throws IOException {
        var file = Files.writeString(directory.resolve("trace.csv"), "name,cpu_milli\na,1\n");

        assertThatThrownBy(() -> TraceWorkload.read(file, Duration.ZERO, Optional.empty(), Sharing.WHOLE))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("column memory_mib is missing");
    }

    @Test
    void columnsThatNobodyAsksForDoNotMatterNorDoesTheOrder() throws IOException {
        var file = Files.writeString(
                directory.resolve("trace.csv"),
                "qos,deletion_time,creation_time,gpu_milli,num_gpu,memory_mib,cpu_milli,name\nLS,9,4,0,0,1,2,a\n");

        var tasks = TraceWorkload.read(file, Duration.ZERO, Optional.empty(), Sharing.WHOLE)
                .tasks();

        assertThat(tasks).extracting(Task::name).containsExactly("a");
        assertThat(tasks.get(0).runsFor()).contains(Duration.ofSeconds(5));
    }

    @Test
    void aColumnThatStandsThereTwiceIsNamed() throws IOException {
        var file = Files.writeString(directory.resolve("trace.csv"), HEADER.replace("gpu_spec", "num_gpu") + "\n");

        assertThatThrownBy(() -> TraceWorkload.read(file, Duration.ZERO, Optional.empty(), Sharing.WHOLE))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("line 1: column num_gpu stands in")
                .hasMessageContaining("more than once");
    }

    @Test
    void aPodThatOutlivesAllThatIsSimulatedRunsToItsEnd() throws IOException {
        var task = read("a,1,1,0,0,,0,1000000000000\n", Duration.ZERO, Optional.empty(), Sharing.WHOLE)
                .tasks()
                .get(0);

        assertThat(task.runsFor()).contains(Duration.ofDays(366));
    }

    @Test
    void whatIsAskedForAlikeIsKeptOnce() throws IOException {
        var tasks = read(
                        "a,4,8,1,1000,,0,9\nb,4,8,1,1000,,1,9\nc,5,8,1,1000,,1,9\n",
                        Duration.ZERO,
                        Optional.empty(),
                        Sharing.WHOLE)
                .tasks();

        assertThat(tasks.get(0).template())
                .isSameAs(tasks.get(1).template())
                .isNotSameAs(tasks.get(2).template());
        assertThat(tasks.get(0).template().get())
                .isNotSameAs(tasks.get(0).template().get());
    }
}
