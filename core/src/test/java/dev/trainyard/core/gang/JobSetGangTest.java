package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangFixture.Members;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobSetGangTest {

    private static final String JOBS = "spec.replicatedJobs of JobSet ";

    private final GangFixture jobSets = GangFixture.read("jobset.yaml");

    @Test
    void allPodsOfAJobSetAreOneGang() {
        assertThat(jobSets.gangs("atonce"))
                .containsExactly(new Members("JobSet team/atonce: 5, by %steam/atonce".formatted(JOBS), 5));
    }

    @Test
    void jobsThatWaitForOthersAreAGangOfTheirOwn() {
        assertThat(jobSets.gangs("depends"))
                .containsExactly(
                        new Members("JobSet team/depends, initializer: 1, by %steam/depends".formatted(JOBS), 1),
                        new Members("JobSet team/depends, workers: 4, by %steam/depends".formatted(JOBS), 4));
        assertThat(jobSets.gangs("inorder"))
                .containsExactly(
                        new Members("JobSet team/inorder, driver: 1, by %steam/inorder".formatted(JOBS), 1),
                        new Members("JobSet team/inorder, workers: 4, by %steam/inorder".formatted(JOBS), 4));
    }

    @Test
    void theInitializerOfATrainJobIsNoneOfItsNodes() {
        var trainJobs = GangFixture.read("trainjob.yaml");

        assertThat(trainJobs.gangs("train"))
                .containsExactly(
                        new Members("JobSet team/train, dataset-initializer: 1, by %steam/train".formatted(JOBS), 1),
                        new Members("JobSet team/train, node: 2, by %steam/train".formatted(JOBS), 2));
    }

    @Test
    void jobsThatWaitForTheSameOnesAreOneGang() {
        var pod = jobSets.first("depends-workers");
        var jobSet = object(pod);
        var jobs = (ArrayNode) jobSet.at("/spec/replicatedJobs");
        jobs.add(((ObjectNode) jobs.get(1)).deepCopy().put("name", "evaluators").put("replicas", 1));
        var later = jobs.addObject().put("name", "reporter").put("replicas", 7);
        later.putArray("dependsOn").addObject().put("name", "workers").put("status", "Ready");

        assertThat(read(pod, jobSet))
                .isEqualTo("JobSet team/depends, workers and evaluators: 6, by %steam/depends".formatted(JOBS));
    }

    @Test
    void leadersOfExclusiveJobsAreAGangAndTheirFollowersAnother() {
        assertThat(jobSets.gangs("exclusive"))
                .containsExactlyInAnyOrder(
                        new Members("JobSet team/exclusive, leaders: 2, by %steam/exclusive".formatted(JOBS), 2),
                        new Members("JobSet team/exclusive, followers: 2, by %steam/exclusive".formatted(JOBS), 2));
    }

    @Test
    void podsOfOtherJobsStartWithTheLeaders() {
        var jobSet = object(jobSets.first("exclusive"));
        ((ObjectNode) jobSet.path("metadata")).remove("annotations");
        var jobs = (ArrayNode) jobSet.at("/spec/replicatedJobs");
        ((ObjectNode) jobs.get(0).path("template").path("metadata"))
                .putObject("annotations")
                .put("alpha.jobset.sigs.k8s.io/exclusive-topology", "rack");
        jobs.addObject()
                .put("name", "driver")
                .putObject("template")
                .putObject("spec")
                .put("parallelism", 3);

        assertThat(read(jobSets.first("exclusive-workers-0-0"), jobSet)).contains("leaders: 5");
        assertThat(read(jobSets.first("exclusive-workers-0-1"), jobSet)).contains("followers: 2");
    }

    @Test
    void jobsThatAreExclusiveByNodeSelectorHaveNoLeaders() {
        var pod = new PodBuilder(jobSets.first("exclusive-workers-0-1"))
                .editMetadata()
                .addToAnnotations("alpha.jobset.sigs.k8s.io/node-selector", "true")
                .endMetadata()
                .build();
        var jobSet = object(pod);
        ((ObjectNode) jobSet.at("/metadata/annotations")).put("alpha.jobset.sigs.k8s.io/node-selector", "true");

        assertThat(read(pod, jobSet)).startsWith("JobSet team/exclusive: 4");
    }

    @Test
    void parallelPodsAreNeededAtOnceAndTheRestLater() {
        var pod = jobSets.first("atonce-workers");
        var jobSet = object(pod);
        ((ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec")).put("completions", 10);

        assertThat(read(pod, jobSet)).startsWith("JobSet team/atonce: 5");
    }

    @Test
    void aGangIsIdentifiedByTheUidOfTheJobSet() {
        assertThat(jobSets.groups("depends"))
                .containsExactly("JobSet team/depends 8ee51ee3-fdf0-4e1d-9f14-519ebc5c7720");
        assertThat(jobSets.gang(jobSets.first("atonce")).orElseThrow().key())
                .isEqualTo("JobSet team/atonce 60a13506-ce75-4bc4-ae5a-3253474dd768 workers");
    }

    /** The author of a pod chooses its labels. */
    @Test
    void podOfAnotherNamespaceIsOfAnotherGang() {
        var pod = new PodBuilder(jobSets.first("atonce"))
                .editMetadata()
                .withNamespace("other")
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod).orElseThrow().group())
                .isNotEqualTo(
                        GangClaim.of(jobSets.first("atonce")).orElseThrow().group());
    }

    @Test
    void podsWithoutTheUidAreIdentifiedByName() {
        var pod = new PodBuilder(jobSets.first("atonce"))
                .editMetadata()
                .removeFromLabels("jobset.sigs.k8s.io/jobset-uid")
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod).orElseThrow().group()).isEqualTo("JobSet team/atonce");
    }

    /** Jobs of other replicated jobs may be created much later, so that a gang of all of them might never be complete. */
    @Test
    void withoutTheJobSetTheJobsOfOneReplicatedJobAreKnown() {
        assertThat(jobSets.known())
                .containsEntry(
                        jobSets.first("depends-initializer").getMetadata().getName(),
                        "JobSet team/depends, initializer: 1, by label jobset.sigs.k8s.io/replicatedjob-replicas")
                .containsEntry(
                        jobSets.first("depends-workers").getMetadata().getName(),
                        "JobSet team/depends, workers: 2, by label jobset.sigs.k8s.io/replicatedjob-replicas")
                .containsEntry(
                        jobSets.first("exclusive-workers-0-1").getMetadata().getName(), "none");
    }

    @ParameterizedTest
    @CsvSource({
        "replicas, -1, spec.replicatedJobs[workers].replicas is -1",
        "replicas, 1000001, spec.replicatedJobs[workers].replicas is 1000001",
        "replicas, 1000000, spec.replicatedJobs has 2000001 pods",
        "replicas, '\"2\"', spec.replicatedJobs[workers].replicas is \"2\"",
        "name, other, 'spec.replicatedJobs has no ''workers'''"
    })
    void anInvalidFieldIsNamed(String field, String value, String problem) {
        var pod = jobSets.first("atonce-workers");
        var jobSet = object(pod);
        ((ObjectNode) jobSet.at("/spec/replicatedJobs/0")).set(field, GangFixture.object(value));

        assertThatThrownBy(() -> read(pod, jobSet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    private ObjectNode object(Pod pod) {
        return jobSets.objectOf((OfObject) GangClaim.of(pod).orElseThrow());
    }

    private static String read(Pod pod, ObjectNode jobSet) {
        var claim = (OfObject) GangClaim.of(pod).orElseThrow();
        return GangFixture.text(claim.reading().apply(jobSet).orElseThrow());
    }
}
