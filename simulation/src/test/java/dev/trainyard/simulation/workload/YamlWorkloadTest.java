package dev.trainyard.simulation.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlWorkloadTest {

    private static Workload read(String yaml) {
        return YamlWorkload.of(
                ResourceFiles.read("work.yaml", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))));
    }

    private static String job(String annotations, String spec) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: j, namespace: team, annotations: {%s}}
                spec: {%s template: {metadata: {annotations: {trainyard.dev/simulated-duration: 20m}}, spec: {containers: [{name: a}]}}}
                """.formatted(annotations, spec);
    }

    @Test
    void annotationsSayWhenAJobComesAndItsPodsHowLongTheyRun() {
        var task = read(job("trainyard.dev/simulated-arrival: 1h", "parallelism: 3, completions: 9,"))
                .tasks()
                .get(0);

        assertThat(task.arrives()).isEqualTo(Duration.ofHours(1));
        assertThat(task.runsFor()).contains(Duration.ofMinutes(20));
        assertThat(task.pods()).isEqualTo(3);
        assertThat(task.completions()).isEqualTo(9);
        assertThat(task.namespace()).isEqualTo("team");
    }

    @Test
    void whatComesAgainComesAgainUnderAnotherName() {
        var tasks = read(job("trainyard.dev/simulated-every: 1h, trainyard.dev/simulated-times: '3'", ""))
                .tasks();

        assertThat(tasks).extracting(Task::name).containsExactly("j-0", "j-1", "j-2");
        assertThat(tasks)
                .extracting(Task::arrives)
                .containsExactly(Duration.ZERO, Duration.ofHours(1), Duration.ofHours(2));
    }

    @Test
    void aDeploymentStaysUnlessItSaysForHowLong() {
        var task = read("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: d}
                spec: {replicas: 4, template: {spec: {containers: [{name: a}]}}}
                """).tasks().get(0);

        assertThat(task.runsFor()).isEqualTo(Optional.empty());
        assertThat(task.pods()).isEqualTo(4);
        assertThat(task.ends()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trainyard.dev/simulated-arrival: soon | trainyard.dev/simulated-arrival is 'soon'",
                "trainyard.dev/simulated-arrival: -1h | trainyard.dev/simulated-arrival is '-1h'; expected a duration",
                "trainyard.dev/simulated-arrival: 9999999h | trainyard.dev/simulated-arrival is '9999999h'; expected a duration",
                "trainyard.dev/simulated-times: 24 | trainyard.dev/simulated-times is '24'; expected a text: put it in quotation marks",
                "trainyard.dev/simulated-times: '0' | trainyard.dev/simulated-times is '0'",
            })
    void aValueThatCannotBeIsNamed(String annotation, String message) {
        assertThatThrownBy(() -> read(job(annotation, "")))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("work.yaml")
                .hasMessageContaining("Job j")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trainyard.dev/deadline: tomorrow | trainyard.dev/deadline is 'tomorrow'; expected a time such as 2026-01-06T08:00:00Z",
                "trainyard.dev/simulated-deadline: 24h | trainyard.dev/simulated-deadline is '24h'; expected a time",
                "trainyard.dev/work: much | trainyard.dev/work is 'much'; expected a duration",
                "trainyard.dev/restart-cost: none | trainyard.dev/restart-cost is 'none'; expected a duration",
            })
    void anInvalidDeadlineOfThePodsIsNamed(String annotation, String message) {
        var job = job("", "").replace("trainyard.dev/simulated-duration: 20m", annotation);

        assertThatThrownBy(() -> read(job))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aNumberOfPodsThatIsNoneIsNamed() {
        assertThatThrownBy(() -> read(job("", "parallelism: -1,")))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("spec.parallelism is '-1'; expected a number of pods");
    }

    @Test
    void aPodWithoutASpecIsNamed() {
        assertThatThrownBy(() -> read("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("Pod p: spec is missing or not an object; expected a pod's spec");
    }

    @Test
    void aKindThatMakesPodsAndIsNotKnownIsNamed() {
        assertThatThrownBy(() -> read("""
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: nightly}
                spec: {schedule: "0 3 * * *", jobTemplate: {}}
                """))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("CronJob nightly: kind is 'CronJob'; expected one of Deployment, Job, Pod");
    }

    @Test
    void otherKindsMakeNoDifference() {
        assertThat(read("apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: []}\n---\n" + job("", ""))
                        .tasks())
                .hasSize(1);
    }

    @Test
    void aNameThatIsTakenIsNamedAndOneThatIsToBeMadeIsAnotherOne() {
        assertThatThrownBy(() -> read(job("", "") + "---\n" + job("", "")))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("metadata.name is 'j'; expected a name that no other Job has");

        var pod = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\nspec: {containers: [{name: a}]}\n";
        assertThat(read(pod + "---\n" + pod).tasks()).extracting(Task::name).containsExactly("p", "p-2");
    }

    @ParameterizedTest
    @CsvSource({"1.5, PT5M, 30m", "1.5, PT1H, 1h20m", "4, PT1H, 1h20m", "5, PT1H, 1h40m"})
    void aDeadlineLeavesAtLeastTheSlack(double factor, Duration slack, String time) {
        var start = Instant.parse("2026-01-05T00:00:00Z");
        var annotations = read(job("trainyard.dev/simulated-arrival: 1h", ""))
                .withDeadlines(start, factor, slack, Duration.ofMinutes(10))
                .tasks()
                .get(0)
                .template()
                .get()
                .at("/metadata/annotations");

        assertThat(annotations.path(Names.DEADLINE).asText())
                .isEqualTo(start.plus(Duration.ofHours(1))
                        .plus(Durations.parse(time))
                        .toString());
        assertThat(annotations.path(Names.WORK).asText()).isEqualTo("20m");
        assertThat(annotations.path(Names.RESTART_COST).asText()).isEqualTo("10m");
    }

    @Test
    void reclaimsAreNoFailuresOfJobsThatGetADeadlineUnlessTheAuthorWantsThat() {
        var other = read("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: j, namespace: team}
                spec:
                  template:
                    metadata: {annotations: {trainyard.dev/simulated-duration: 20m}}
                    spec: {restartPolicy: OnFailure, containers: [{name: a}]}
                """);

        assertThat(restartPolicy(read(job("", "")))).isEqualTo("Never");
        assertThat(restartPolicy(other)).isEqualTo("OnFailure");
    }

    private static String restartPolicy(Workload workload) {
        return workload.withDeadlines(Instant.EPOCH, 2, Duration.ZERO, Duration.ofMinutes(10))
                .tasks()
                .get(0)
                .template()
                .get()
                .at("/spec/restartPolicy")
                .asText();
    }
}
