package dev.trainyard.core.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodReaderTest {

    @Test
    void readsTierWithoutWhiteSpaceAroundIt() {
        var metadata = new PodBuilder()
                .withNewMetadata()
                .addToAnnotations("trainyard.dev/tier", " light\n")
                .endMetadata();

        assertThat(PodReader.tier(metadata.build())).isEqualTo("light");
    }

    @Test
    void readsNoTierFromABlankAnnotation() {
        var metadata = new PodBuilder()
                .withNewMetadata()
                .addToAnnotations("trainyard.dev/tier", " \n")
                .endMetadata();

        assertThat(PodReader.tier(metadata.build())).isNull();
    }

    @Test
    void addsContainersAndCountsThePodItself() {
        var shape = shape("""
                containers:
                  - {name: a, resources: {requests: {cpu: 500m, memory: 1Gi}}}
                  - {name: b, resources: {requests: {cpu: 1}}}
                """);
        assertThat(shape.requests()).hasToString("cpu 1500m, memory 1Gi, pods 1");
    }

    @Test
    void takesALimitForARequestWhereThereIsNone() {
        var shape = shape("""
                containers:
                  - {name: a, resources: {limits: {nvidia.com/gpu: 2, cpu: 4}, requests: {cpu: 1}}}
                """);
        assertThat(shape.gpus()).isEqualTo(2);
        assertThat(shape.requests().get("cpu")).isEqualTo(1000);
    }

    /** A pod with absurd limits runs, because the scheduler ignores a limit if there is a request for the same resource. */
    @Test
    void looksAtNoLimitBesideARequest() {
        var shape = shape("""
                resources: {limits: {cpu: %s}, requests: {cpu: 3}}
                containers:
                  - name: a
                    resources:
                      limits: {cpu: %s, alpha.kubernetes.io/nvidia-gpu: %s}
                      requests: {cpu: 1, nvidia.com/gpu: 2}
                """.replace("%s", "'" + "9".repeat(60_000) + "'"));
        assertThat(shape.requests()).hasToString("cpu 3, nvidia.com/gpu 2, pods 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "containers: [{name: a, resources: {requests: {cpu: X}}}]           | container 'a': resources.requests cpu",
                "containers: [{name: a, resources: {limits: {memory: X}}}]          | container 'a': resources.limits memory",
                "initContainers: [{name: b, resources: {requests: {cpu: X}}}]       | init container 'b': resources.requests cpu",
                "overhead: {cpu: X}                                                 | spec.overhead cpu",
                "resources: {requests: {cpu: X}}                                    | spec.resources.requests cpu",
                "resources: {limits: {cpu: X}}                                      | spec.resources.limits cpu",
            })
    void namesContainerAndFieldOfAQuantityThatIsTooLong(String spec, String place) {
        assertTimeoutPreemptively(
                Duration.ofSeconds(20), // each took at least ten seconds before the fix
                () -> assertThatThrownBy(() -> shape(spec.replace("X", "'" + "9".repeat(600_000) + "'")))
                        .hasMessage(place
                                + " is '99999999999999999999...' (600000 characters); expected a Kubernetes quantity such"
                                + " as 500m, 2 or 16Gi, of at most 64 characters"));
    }

    @Test
    void takesTheGreaterOfTheStartAndTheRun() {
        var shape = shape("""
                initContainers:
                  - {name: fetch, resources: {requests: {cpu: 3}}}
                containers:
                  - {name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}
                """);
        assertThat(shape.requests()).hasToString("cpu 3, memory 1Gi, pods 1");
    }

    @Test
    void countsASidecarWithTheRunAndWithTheInitContainersAfterIt() {
        var shape = shape("""
                initContainers:
                  - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: 1}}}
                  - {name: fetch, resources: {requests: {cpu: 3}}}
                containers:
                  - {name: a, resources: {requests: {cpu: 2500m}}}
                """);
        assertThat(shape.requests().get("cpu")).isEqualTo(4000);
    }

    @Test
    void addsOverhead() {
        var shape = shape("""
                overhead: {cpu: 250m}
                containers:
                  - {name: a, resources: {requests: {cpu: 1}}}
                """);
        assertThat(shape.requests().get("cpu")).isEqualTo(1250);
    }

    @Test
    void readsWhereThePodWantsToBe() {
        var shape = shape("""
                nodeSelector: {gpu: "true"}
                tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]
                affinity:
                  nodeAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      nodeSelectorTerms:
                        - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
                        - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
                containers: [{name: a}]
                """);
        assertThat(shape.nodeSelector()).containsEntry("gpu", "true");
        assertThat(shape.tolerations()).containsExactly(new Toleration("spot", "Exists", null, "NoSchedule"));
        assertThat(shape.nodeTerms())
                .containsExactly(
                        new NodeTerm(List.of(new LabelRequirement("zone", "In", List.of("a", "b"))), List.of()),
                        new NodeTerm(List.of(), List.of(new LabelRequirement("metadata.name", "In", List.of("n1")))));
    }

    @Test
    void namesTheConstraintsThatItDoesNotModel() {
        var shape = shape("""
                volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
                resourceClaims: [{name: gpu}]
                containers: [{name: a}]
                """);
        assertThat(shape.unmodelled()).containsExactly("persistent volume claims", "resource claims");
    }

    @Test
    void aRequestOfNothingIsNoReasonToTakeTheLimit() {
        var shape = shape("""
                containers:
                  - {name: a, resources: {limits: {cpu: 4, memory: 1Gi}, requests: {cpu: 0}}}
                """);
        assertThat(shape.requests()).hasToString("memory 1Gi, pods 1");
    }

    @Test
    void whatThePodAsksForAsAWholeCountsInsteadOfItsContainers() {
        var shape = shape("""
                resources: {requests: {cpu: 4}}
                overhead: {cpu: 100m}
                initContainers: [{name: i, resources: {requests: {cpu: 3, memory: 2Gi}}}]
                containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}}}]
                """);
        assertThat(shape.requests()).hasToString("cpu 4100m, memory 2Gi, nvidia.com/gpu 1, pods 1");
        assertThat(shape.unmodelled()).isEmpty();
    }

    @Test
    void aLimitOfThePodAsAWholeIsARequestWhereNoContainerAsks() {
        var shape = shape("""
                resources: {limits: {cpu: 4, memory: 8Gi}}
                containers: [{name: a, resources: {requests: {cpu: 1}}}]
                """);
        assertThat(shape.requests()).hasToString("cpu 1, memory 8Gi, pods 1");
    }

    @Test
    void aPodThatIsBeingResizedTakesTheMostOfWhatIsAskedGivenAndInForce() {
        var shrinking = """
                spec:
                  containers: [{name: a, resources: {requests: {cpu: 1, memory: 4Gi}}}]
                status:
                  conditions: [{type: PodResizePending, reason: %s}]
                  containerStatuses:
                    - {name: a, allocatedResources: {cpu: 2, memory: 1Gi}, resources: {requests: {cpu: 3, memory: 1Gi}}}
                """;
        assertThat(read(shrinking.formatted("Deferred")).requests()).hasToString("cpu 3, memory 4Gi, pods 1");
        assertThat(read(shrinking.formatted("Infeasible")).requests()).hasToString("cpu 3, memory 1Gi, pods 1");
    }

    @Test
    void readsPortsOfTheHostOfWhateverRunsAsLongAsThePod() {
        var shape = shape("""
                initContainers:
                  - {name: proxy, restartPolicy: Always, ports: [{containerPort: 1, hostPort: 81, protocol: UDP}]}
                  - {name: fetch, ports: [{containerPort: 2, hostPort: 82}]}
                containers:
                  - {name: a, ports: [{containerPort: 3, hostPort: 83, hostIP: 10.0.0.1}, {containerPort: 4}]}
                """);
        assertThat(shape.hostPorts())
                .containsExactlyInAnyOrder(new HostPort("UDP", "0.0.0.0", 81), new HostPort("TCP", "10.0.0.1", 83));
    }

    @Test
    void inTheNetworkOfTheHostEveryPortIsOneOfTheHost() {
        assertThat(shape("hostNetwork: true\ncontainers: [{name: a, ports: [{containerPort: 80}]}]\n")
                        .hostPorts())
                .containsExactly(new HostPort("TCP", "0.0.0.0", 80));
    }

    @Test
    void podsOfOneJobHaveOneShape() {
        var spec = "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n";
        assertThat(shape(spec)).isEqualTo(shape(spec)).hasSameHashCodeAs(shape(spec));
    }

    private static PodShape shape(String spec) {
        return read("spec:\n" + spec.indent(2));
    }

    private static PodShape read(String pod) {
        try {
            return PodReader.shapeOf(new YAMLMapper().readValue("metadata: {name: p}\n" + pod, Pod.class));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
