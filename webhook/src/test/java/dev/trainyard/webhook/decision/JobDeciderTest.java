package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.decision.JobDeciderTest.Change;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobDeciderTest {

    private static final JobDecider DECIDER = new JobDecider(Samples.DECIDER);
    private static final Catalogue CATALOGUE = catalogue("");

    @Test
    void ignoresReclaimsOfAJobWhosePodsGetATier() {
        var after = completed(job(), CATALOGUE);

        assertThat(after.at("/spec/podFailurePolicy"))
                .isEqualTo(Samples.yaml(
                        "{rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}]}"));
        assertThat(after.at("/spec/podReplacementPolicy").asText()).isEqualTo("Failed");
        assertThat(after.at("/metadata/annotations/trainyard.dev~1injected").asText())
                .isEqualTo(
                        "tier gpu; podFailurePolicy: reclaims and evictions do not count as failures; podReplacementPolicy: Failed");
    }

    @Test
    void changesNothingElse() {
        var after = completed(job(), CATALOGUE);

        ((ObjectNode) after.path("spec")).remove(List.of("podFailurePolicy", "podReplacementPolicy"));
        ((ObjectNode) after.path("metadata")).remove("annotations");
        assertThat(after).isEqualTo(job());
    }

    @Test
    void leavesAJobThatItCompletedUnchanged() {
        assertThat(decide(completed(job(), CATALOGUE), CATALOGUE).word()).isEqualTo("untouched");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TerminatingOrFailed", "Failed"})
    void completesAJobWithAReplacementPolicyThatTheApiServerFillsInOrRequires(String policy) {
        var job = job();
        job.withObject("/spec").put("podReplacementPolicy", policy);

        var after = completed(job, CATALOGUE);

        assertThat(after.at("/spec/podReplacementPolicy").asText()).isEqualTo("Failed");
        assertThat(after.at("/spec/podFailurePolicy").isObject()).isTrue();
    }

    @Test
    void completesAJobOfACronJob() {
        var job = job();
        job.withObject("/metadata")
                .putArray("ownerReferences")
                .add(Samples.yaml("{apiVersion: batch/v1, kind: CronJob, name: nightly, controller: true}"));

        assertThat(decide(job, CATALOGUE).word()).isEqualTo("completed");
    }

    @Test
    void completesAJobThatNamesTheJobControllerItself() {
        var job = job();
        job.withObject("/spec").put("managedBy", "kubernetes.io/job-controller");

        assertThat(decide(job, CATALOGUE).word()).isEqualTo("completed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/spec                    | podFailurePolicy | {rules: []}                                  | it has a podFailurePolicy of its own",
                "/spec                    | podReplacementPolicy | Someday                                  | its podReplacementPolicy is unknown",
                "/spec/template/spec      | restartPolicy    | OnFailure                                    | its pods do not have restartPolicy Never",
                "/spec/template/spec      | restartPolicy    | null                                         | its pods do not have restartPolicy Never",
                "/spec/template/spec      | containers       | [{name: a}]                                  | its pods get no tier",
                "/metadata                | annotations      | {trainyard.dev/inject: 'false'}              | annotation trainyard.dev/inject: \"false\"",
                "/spec/template/metadata  | annotations      | {trainyard.dev/inject: 'false'}              | its pods get no tier",
                "/spec/template/metadata  | annotations      | {trainyard.dev/tier: nope}                   | its pods will be refused",
                "/spec/template/spec      | nodeSelector     | {gpu: true}                                  | its pods cannot be completed",
                "/spec                    | template         | []                                           | its pods do not have restartPolicy Never",
                "/spec                    | managedBy        | kueue.x-k8s.io/multikueue                    | another controller manages it: spec.managedBy: kueue.x-k8s.io/multikueue",
                "/metadata                | labels           | {kueue.x-k8s.io/queue-name: q}               | another controller manages it: the mark kueue.x-k8s.io/queue-name of Kueue",
                "/metadata                | annotations      | {kueue.x-k8s.io/job-min-parallelism: '1'}    | another controller manages it: the mark kueue.x-k8s.io/job-min-parallelism of Kueue",
                "/metadata                | ownerReferences  | [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: j}] | another controller manages it: the owner JobSet j",
                "/metadata                | ownerReferences  | [{apiVersion: example.com/v1, kind: CronJob, name: c}] | another controller manages it: the owner CronJob c",
            })
    void leavesAJobUnchanged(String parent, String member, String value, String reason) {
        assertLeft(decide(changed(new Change(parent, member, value)), CATALOGUE), reason);
    }

    @Test
    void leavesAJobUnchangedIfTheTierSaysSo() {
        assertLeft(
                decide(job(), catalogue("jobs: {ignoreReclaims: false}")), "jobs.ignoreReclaims of tier gpu is false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/spec     | managedBy       | example.com/controller",
                "/metadata | labels          | {kueue.x-k8s.io/queue-name: q}",
                "/metadata | ownerReferences | [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: j}]",
            })
    void completesAManagedJobIfTheTierSaysSo(String parent, String member, String value) {
        var decision = decide(changed(new Change(parent, member, value)), catalogue("jobs: {includeManaged: true}"));

        assertThat(decision.word()).isEqualTo("completed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kube-system", "trainyard-system"})
    void leavesJobsOfTheSystemUnchanged(String namespace) {
        var decision = DECIDER.decide(job(), namespace, Optional.of(NamespaceFacts.NONE), CATALOGUE);

        assertLeft(decision, "namespace %s is excluded from all changes".formatted(namespace));
    }

    @Test
    void leavesJobsUnchangedWhoseNamespaceOptsOut() {
        var facts = new NamespaceFacts(Map.of("trainyard.dev/inject", "false"), Map.of());

        assertLeft(
                DECIDER.decide(job(), "training", Optional.of(facts), CATALOGUE),
                "annotation trainyard.dev/inject: \"false\" of namespace training");
    }

    @Test
    void warnsTheAuthorIfTheNamespaceIsNotKnownYet() {
        var decision = DECIDER.decide(job(), "training", Optional.empty(), CATALOGUE);

        assertThat(((Untouched) decision).warnings())
                .containsExactly(
                        "reclaims count as failures of this Job: the webhook does not know the new namespace 'training' yet");
    }

    /** Without this limit, the API server would reject the Job. */
    @Test
    void completesAJobWithoutTheAnnotationIfThereIsNoRoomForIt() {
        var job = job();
        job.withObject("/metadata/annotations").put("large", "x".repeat(262_144 - 50));

        var after = completed(job, CATALOGUE);

        assertThat(after.at("/spec/podFailurePolicy").isObject()).isTrue();
        assertThat(after.at("/metadata/annotations")).hasSize(1);
    }

    @Test
    void neverFailsOnAJobOfTheWrongShape() {
        for (var odd : List.of(
                "{}",
                "{spec: []}",
                "{spec: {template: {spec: {restartPolicy: Never}}}}",
                "{metadata: 7, spec: null}")) {
            assertThat(decide(Samples.yaml(odd), CATALOGUE).word()).as(odd).isEqualTo("untouched");
        }
    }

    /** A member to set in a Job. */
    record Change(String parent, String member, String value) {}

    private static ObjectNode changed(Change change) {
        var job = job();
        job.withObject(change.parent())
                .set(
                        change.member(),
                        Samples.yaml("{value: %s}".formatted(change.value())).path("value"));
        return job;
    }

    private static void assertLeft(Decision decision, String reason) {
        assertThat(decision).isInstanceOf(Untouched.class);
        assertThat(((Untouched) decision).reason()).startsWith(reason);
    }

    private static ObjectNode completed(ObjectNode job, Catalogue catalogue) {
        var decision = decide(job, catalogue);
        assertThat(decision).isInstanceOf(Completed.class);
        return (ObjectNode) Samples.apply(((Completed) decision).patch(), job);
    }

    private static Decision decide(ObjectNode job, Catalogue catalogue) {
        return DECIDER.decide(job, "training", Optional.of(NamespaceFacts.NONE), catalogue);
    }

    private static ObjectNode job() {
        return Samples.yaml("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: train}
                spec:
                  backoffLimit: 6
                  template:
                    spec:
                      restartPolicy: Never
                      containers: [{name: tensorflow, resources: {limits: {nvidia.com/gpu: "1"}}}]
                """);
    }

    private static Catalogue catalogue(String settings) {
        var tier = Samples.yaml("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: gpu}
                spec:
                  pools: [spot]
                  default: {gpus: {}}
                  %s
                """.formatted(settings));
        return FileConfiguration.of(new ResourceFiles(List.of(new ResourceFiles.Document("tiers.yaml", tier))))
                .current();
    }
}
