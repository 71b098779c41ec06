package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangFixture.Members;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeflowGangTest {

    private final GangFixture trainingOperator = GangFixture.read("training-operator.yaml");
    private final GangFixture mpiOperator = GangFixture.read("mpi-operator.yaml");

    @ParameterizedTest
    @CsvSource({"pytorch, PyTorchJob, 3", "tf, TFJob, 4", "mpi, MPIJob, 3"})
    void allReplicasOfAJobAreOneGang(String name, String kind, int pods) {
        assertThat(trainingOperator.gangs(name))
                .containsExactly(new Members(
                        "%s team/%sjob: %d, by spec.%sReplicaSpecs of %s team/%sjob"
                                .formatted(kind, name, pods, name, kind, name),
                        pods));
    }

    @Test
    void aGangIsIdentifiedByTheUidOfTheJob() {
        assertThat(trainingOperator.groups("tf"))
                .containsExactly("TFJob team/tfjob 31d542fe-ce76-4149-a8f5-740036bbb9f7");
        assertThat(trainingOperator
                        .gang(trainingOperator.first("tf"))
                        .orElseThrow()
                        .key())
                .isEqualTo("TFJob team/tfjob 31d542fe-ce76-4149-a8f5-740036bbb9f7");
    }

    @Test
    void theLauncherOfTheMpiOperatorBelongsToItsMpiJob() {
        assertThat(mpiOperator.gangs("train"))
                .containsExactly(new Members("MPIJob team/train: 3, by spec.mpiReplicaSpecs of MPIJob team/train", 3));
        assertThat(mpiOperator.groups("train")).containsExactly("MPIJob team/train");
        assertThat(mpiOperator
                        .gang(mpiOperator.first("train-launcher"))
                        .orElseThrow()
                        .key())
                .isEqualTo("MPIJob team/train c2a9f1d0-53ab-4e5e-9f1d-8f0e4b7ac001");
    }

    @Test
    void aLauncherThatWaitsForTheWorkersIsNoneOfThem() {
        assertThat(mpiOperator.gangs("later"))
                .containsExactlyInAnyOrder(
                        new Members("MPIJob team/later, launcher: 1, by spec.mpiReplicaSpecs of MPIJob team/later", 1),
                        new Members("MPIJob team/later, workers: 2, by spec.mpiReplicaSpecs of MPIJob team/later", 2));
        assertThat(mpiOperator.groups("later")).containsExactly("MPIJob team/later");
    }

    @ParameterizedTest
    @CsvSource({"2, 2", "9, 4", ", 4"})
    void theLeastNumberOfPodsIsTheSizeOfTheGang(Integer least, String size) {
        assertThat(readWith("/spec", "{runPolicy: {schedulingPolicy: {minAvailable: %s}}}".formatted(least))
                        .map(GangFixture::text)
                        .orElseThrow())
                .startsWith("TFJob team/tfjob: " + size);
    }

    @Test
    void podsThatAreUsefulAloneAreNoGang() {
        assertThat(readWith("/spec", "{runPolicy: {schedulingPolicy: {minAvailable: 1}}}"))
                .isEmpty();
    }

    @Test
    void missingReplicasAreOneExceptForWorkersOfMpiJobs() {
        assertThat(readWith("/spec/tfReplicaSpecs/Worker", "{replicas: null}"))
                .map(Gang::size)
                .contains(3);
        var launcher = mpiOperator.first("train-launcher");
        var claim = (OfObject) GangClaim.of(launcher).orElseThrow();
        var job = mpiOperator.objectOf(claim);
        ((ObjectNode) job.at("/spec/mpiReplicaSpecs/Worker")).remove("replicas");
        assertThat(claim.reading().apply(job)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/spec/tfReplicaSpecs/PS, '{replicas: -3}', spec.tfReplicaSpecs.PS.replicas is -3",
        "/spec/tfReplicaSpecs/PS, '{replicas: 1.5}', spec.tfReplicaSpecs.PS.replicas is 1.5",
        "/spec/tfReplicaSpecs/PS, '{replicas: 999999}', spec.tfReplicaSpecs has 1000002 pods",
        "/spec, '{runPolicy: {schedulingPolicy: {minAvailable: many}}}', minAvailable is \"many\""
    })
    void anInvalidFieldIsNamed(String path, String fields, String problem) {
        assertThatThrownBy(() -> readWith(path, fields))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    /** A user may write any owner reference. Its kind becomes a part of a URL. */
    @Test
    void onlyKnownKindsAreRead() {
        var pod = new PodBuilder(trainingOperator.first("tf"))
                .editMetadata()
                .editFirstOwnerReference()
                .withKind("../pods/x?TFJob")
                .endOwnerReference()
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod)).isEmpty();
    }

    private Optional<Gang> readWith(String path, String fields) {
        var claim = (OfObject) GangClaim.of(trainingOperator.first("tf")).orElseThrow();
        var job = trainingOperator.objectOf(claim).deepCopy();
        ((ObjectNode) job.at(path)).setAll((ObjectNode) GangFixture.object(fields));
        return claim.reading().apply(job);
    }
}
