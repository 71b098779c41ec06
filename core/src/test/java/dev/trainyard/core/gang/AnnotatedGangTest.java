package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnnotatedGangTest {

    private static final String OF_JOB = """
            metadata:
              namespace: team
              ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: job-uid, controller: true}]
            """;

    private static final Gang STATED = new Gang("team/resnet", "team/resnet", 8, "annotation trainyard.dev/gang", true);

    @ParameterizedTest
    @ValueSource(strings = {"annotations", "labels"})
    void annotationsOrLabelsStateTheGang(String place) {
        var pod = GangFixture.pod("metadata: {namespace: team, %s: {%s: ' resnet ', %s: ' 8 '}}"
                .formatted(place, Names.GANG, Names.GANG_SIZE));

        assertThat(GangClaim.of(pod)).contains(new Stated(STATED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobset.yaml",
                "trainjob.yaml",
                "training-operator.yaml",
                "mpi-operator.yaml",
                "leaderworkerset.yaml",
                "kueue.yaml",
                "podgroup.yaml",
                "kuberay.yaml"
            })
    void theAnnotationTakesPrecedenceOverTheOwner(String file) {
        assertThat(GangFixture.read(file).pods()).allSatisfy(pod -> {
            assertThat(GangClaim.of(annotated(pod, "resnet", "8"))).contains(new Stated(STATED));
            assertThat(GangClaim.of(annotated(pod, " none ", "8"))).isEmpty();
        });
    }

    @Test
    void aPodWithoutAnyOfItHasNoGang() {
        assertThat(GangClaim.of(GangFixture.pod("metadata: {namespace: team}"))).isEmpty();
        assertThat(GangClaim.of(GangFixture.pod(OF_JOB))).isEmpty();
        assertThat(GangClaim.of(GangFixture.pod("{}"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'{parallelism: 4, completions: 4}', 4",
        "'{parallelism: 4, completions: 10}', 4",
        "'{parallelism: 10, completions: 4}', 4",
        "'{parallelism: 4}', 4",
        "'{completions: 4}', 1",
        "'{}', 1"
    })
    void theGangOfAJobIsItsParallelPods(String spec, int size) {
        assertThat(ofJob().reading().apply(GangFixture.object("{spec: %s}".formatted(spec))))
                .contains(Gang.found(
                        "Job team/train job-uid", "Job team/train", size, "spec.parallelism of Job team/train"));
    }

    @ParameterizedTest
    @CsvSource({
        "'{parallelism: 0}', spec.parallelism has 0 pods",
        "'{parallelism: -1}', spec.parallelism is -1",
        "'{parallelism: 5000000000}', spec.parallelism is 5000000000",
        "'{completions: [1]}', spec.completions is [1]"
    })
    void anInvalidFieldOfAJobIsNamed(String spec, String problem) {
        assertThatThrownBy(() -> ofJob().reading().apply(GangFixture.object("{spec: %s}".formatted(spec))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource({
        "resnet, , trainyard.dev/gang-size is missing; expected the number of pods of gang team/resnet",
        "resnet, 0, 'trainyard.dev/gang-size is ''0''; expected a whole number from 1 to 1000000, such as 8'",
        "resnet, 2.5, 'trainyard.dev/gang-size is ''2.5''; expected a whole number from 1 to 1000000, such as 8'",
        ", 8, 'trainyard.dev/gang-size is ''8'', but trainyard.dev/gang is missing or empty; expected the name of the gang'"
    })
    void anInvalidAnnotationIsNamed(String name, String size, String problem) {
        var pod = annotated(GangFixture.pod("metadata: {namespace: team}"), name, size);

        assertThat(GangClaim.of(pod).map(claim -> ((Malformed) claim).problem()))
                .contains(problem);
    }

    private static OfObject ofJob() {
        return (OfObject)
                GangClaim.of(annotated(GangFixture.pod(OF_JOB), "resnet", null)).orElseThrow();
    }

    private static Pod annotated(Pod pod, @Nullable String name, @Nullable String size) {
        var metadata = new PodBuilder(pod).editMetadata();
        if (name != null) {
            metadata.addToAnnotations(Names.GANG, name);
        }
        if (size != null) {
            metadata.addToAnnotations(Names.GANG_SIZE, size);
        }
        return metadata.endMetadata().build();
    }
}
