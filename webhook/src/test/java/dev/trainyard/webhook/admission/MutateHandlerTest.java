package dev.trainyard.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.ConfigurationSource;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.webhook.decision.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class MutateHandlerTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void echoesTheUidAndSendsAPatchThatApplies() throws IOException {
        var pod = gpuPod();

        var response = review(request("CREATE", pod)).path("response");

        assertThat(response.path("uid").asText()).isEqualTo("u-1");
        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("patchType").asText()).isEqualTo("JSONPatch");
        var after = Samples.apply(JSON.readTree(response.path("patch").binaryValue()), pod);
        assertThat(after.at("/spec/schedulerName").asText()).isEqualTo("trainyard-scheduler");
        assertThat(response.at("/auditAnnotations/decision").asText()).isEqualTo("completed");
    }

    @Test
    void aCompletePodGetsNeitherPatchNorPatchType() throws IOException {
        var first = review(request("CREATE", gpuPod())).path("response");
        var after = Samples.apply(JSON.readTree(first.path("patch").binaryValue()), gpuPod());

        var second = review(request("CREATE", (ObjectNode) after)).path("response");

        assertThat(second.path("allowed").asBoolean()).isTrue();
        assertThat(second.has("patch")).isFalse();
        assertThat(second.has("patchType")).isFalse();
    }

    @Test
    void leavesTheRequestOnThePodThatItCompletesAndInTheLog() throws IOException {
        var trace = "6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11";
        var logger = (Logger) LoggerFactory.getLogger("dev.trainyard.webhook");
        var appender = new ListAppender<ILoggingEvent>();
        appender.start();
        logger.addAppender(appender);
        try {
            var first = completed(request("CREATE", gpuPod()), trace);
            assertThat(first.at("/metadata/annotations/trainyard.dev~1admission")
                            .asText())
                    .isEqualTo(trace);
            // A second review of the same creation keeps the trace of the first one, also in the log.
            var changed = (ObjectNode) first;
            ((ObjectNode) changed.path("spec")).remove("schedulerName");
            var second = completed(request("CREATE", changed), "11111111-3f2d-4a55-9a43-0f5a3d3c2b11");
            assertThat(second.at("/metadata/annotations/trainyard.dev~1admission")
                            .asText())
                    .isEqualTo(trace);
        } finally {
            logger.detachAppender(appender);
        }
        assertThat(appender.list)
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.getKeyValuePairs())
                        .extracting(pair -> pair.key + "=" + pair.value)
                        .contains("trace=" + trace));
    }

    private JsonNode completed(ObjectNode review, String uid) throws IOException {
        ((ObjectNode) review.path("request")).put("uid", uid);
        var pod = (ObjectNode) review.at("/request/object");
        return Samples.apply(JSON.readTree(review(review).at("/response/patch").binaryValue()), pod);
    }

    @Test
    void whatAnAuthorWroteThereIsReplaced() throws IOException {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("trainyard.dev/admission", "x trace=y");
        var trace = "6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11";
        assertThat(completed(request("CREATE", pod), trace)
                        .at("/metadata/annotations/trainyard.dev~1admission")
                        .asText())
                .isEqualTo(trace);
    }

    @Test
    void aRefusalTellsTheAuthorWhy() throws IOException {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("trainyard.dev/tier", "nope");

        var response = review(request("CREATE", pod)).path("response");

        assertThat(response.path("allowed").asBoolean()).isFalse();
        assertThat(response.at("/status/code").asInt()).isEqualTo(403);
        assertThat(response.at("/status/message").asText()).contains("'nope'", "light-gpu");
        assertThat(response.has("patch")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                                          | the body is not JSON",
                "{                                                           | the body is not JSON",
                "[1]                                                         | the body is not a JSON object",
                "{} {}                                                       | the body is not JSON",
                "{'a': 'tab\there'}                                         | the body is not JSON",
                "{'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'request': {'uid': 7}} | request.uid is missing",
                "{'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'request': []} | request.uid is missing",
                "{}                                                          | expected admission.k8s.io/v1 AdmissionReview",
                "{'apiVersion': 'admission.k8s.io/v1beta1', 'kind': 'AdmissionReview'} | v1beta1",
                "{'apiVersion': 'admission.k8s.io/v1', 'kind': 'Pod'}        | kind 'Pod'",
                "{'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview'} | request.uid is missing",
                "{'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'request': {'uid': 'u', 'operation': 'CREATE', 'kind': {'kind': 'Pod'}}} | request.object is missing",
            })
    void aBodyThatIsNoReviewIsABadRequestThatSaysWhatIsExpected(String body, String message) {
        var response = handle(Samples.catalogue(), true, body.replace('\'', '"'));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body().toString()).contains(message).doesNotContain("Exception", "\tat ");
    }

    @Test
    void aBodyThatIsTooDeepOrHasTooManyPartsIsABadRequest() {
        for (var unit : List.of("[", "{\"a\":", "[],", "1,", "[[1],")) {
            var body = "{\"request\": [" + unit.repeat((8 << 20) / unit.length() - 5);
            var response = handle(Samples.catalogue(), true, body);

            assertThat(response.status()).as(unit).isEqualTo(400);
            assertThat(response.body().toString())
                    .startsWith("the body is not JSON: ")
                    .doesNotContain("Exception", "\tat ");
        }
    }

    @ParameterizedTest
    @CsvSource({"UPDATE,Pod,,''", "CREATE,Pod,,ephemeralcontainers", "CREATE,Job,batch,''", "DELETE,Pod,,''"})
    void whatIsNotTheCreationOfAPodIsAllowed(String operation, String kind, String group, String subResource)
            throws IOException {
        var review = request(operation, gpuPod());
        var request = review.withObject("/request");
        request.withObject("/kind")
                .put("kind", kind)
                .put("group", Optional.ofNullable(group).orElse(""));
        request.put("subResource", subResource);

        var response = review(review).path("response");

        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.has("patch")).isFalse();
    }

    @Test
    void aJobIsAnsweredWithAPatchAndCountedAsAJob() throws IOException {
        var job = Samples.yaml("{metadata: {name: j}, spec: {template: {}}}");
        job.withObject("/spec/template").set("spec", gpuPod().path("spec"));
        job.withObject("/spec/template/spec").put("restartPolicy", "Never");
        var review = request("CREATE", job);
        review.withObject("/request/kind").put("group", "batch").put("kind", "Job");

        var patch = JSON.readTree(review(review).at("/response/patch").binaryValue());

        assertThat(Samples.apply(patch, job).at("/spec/podReplacementPolicy").asText())
                .isEqualTo("Failed");
        assertThat(counted("completed")).isZero();
        assertThat(counted("completed", "job")).isEqualTo(1);
    }

    @Test
    void countsDecisionsButNotThoseOfDryRuns() throws IOException {
        var dryRun = request("CREATE", gpuPod());
        dryRun.withObject("/request").put("dryRun", true);
        assertThat(review(dryRun).path("response").has("patch")).isTrue();
        assertThat(counted("completed")).isZero();

        review(request("CREATE", gpuPod()));

        assertThat(counted("completed")).isEqualTo(1);
    }

    @Test
    void refusesNobodyBeforeItHasReadItsConfiguration() throws IOException {
        var pod = gpuPod();
        pod.withObject("/metadata/annotations").put("trainyard.dev/tier", "not-read-yet");
        var body = request("CREATE", pod).toString();

        var response = JSON.readTree(handle(Catalogue.EMPTY, false, body).body().getBytes())
                .path("response");

        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("warnings").get(0).asText()).contains("not read yet");
        assertThat(counted("failed")).isEqualTo(1);
    }

    @Test
    void anAuthorsMistakeIsNotCountedAmongOurFaults() throws IOException {
        var pod = gpuPod();
        pod.withObject("/spec").withObject("/nodeSelector").put("gpu", true);

        var response = review(request("CREATE", pod)).path("response");

        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("warnings").get(0).asText()).contains("spec.nodeSelector gpu is true");
        assertThat(response.at("/auditAnnotations/decision").asText()).isEqualTo("malformed");
        assertThat(counted("malformed")).isEqualTo(1);
        assertThat(counted("failed")).isZero();
    }

    @Test
    void aPodOfANamespaceThatIsNotKnownYetIsToBeTriedAgain() throws IOException {
        var response = inUnknownNamespace(gpuPod());

        assertThat(response.path("allowed").asBoolean()).isFalse();
        assertThat(response.at("/status/code").asInt()).isEqualTo(503);
        assertThat(response.at("/status/reason").asText()).isEqualTo("ServiceUnavailable");
        assertThat(response.at("/status/message").asText())
                .isEqualTo("the webhook does not know the new namespace 'default' yet; try again");
        assertThat(response.has("patch")).isFalse();
        assertThat(counted("postponed")).isEqualTo(1);
    }

    @Test
    void aPodThatItsNamespaceMightExemptOrPlaceIsToBeTriedAgain() throws IOException {
        var refusable = Samples.pod("resources: {limits: {nvidia.com/gpu: 0.5}}");
        assertThat(inUnknownNamespace(refusable).at("/status/code").asInt()).isEqualTo(503);

        var general = Samples.pod("resources: {}");
        assertThat(inUnknownNamespace(general).at("/status/code").asInt())
                .as("sent, so its namespace sends all pods")
                .isEqualTo(503);

        var body = request("CREATE", gpuPod()).toString();
        var noDefault = JSON.readTree(
                handle(Catalogue.EMPTY, true, Unknown.NAMESPACES, body).body().getBytes());
        assertThat(noDefault.at("/response/status/code").asInt()).isEqualTo(503);
    }

    @Test
    void aPodThatIsLeftAloneAnywayNeedsNoKnownNamespace() throws IOException {
        var optedOut = gpuPod();
        optedOut.withObject("/metadata/annotations").put("trainyard.dev/inject", "false");

        var mirror = gpuPod();
        mirror.withObject("/metadata/annotations").put("kubernetes.io/config.mirror", "x");

        for (var pod : List.of(optedOut, mirror)) {
            var response = inUnknownNamespace(pod);
            assertThat(response.path("allowed").asBoolean()).isTrue();
            assertThat(response.has("patch")).isFalse();
        }
    }

    @Test
    void theRehearsalGoesAllTheWayBeforeAnythingIsRead() throws IOException {
        var handler = new MutateHandler(
                Samples.DECIDER, new FixedConfiguration(Catalogue.EMPTY, false), Unknown.NAMESPACES, registry);

        var response = handler.handle(
                new Request(MutateHandler.PATH, "", Rehearsal.review(), Optional.empty(), true, OptionalLong.empty()));

        var answer = JSON.readTree(response.body().getBytes()).path("response");
        assertThat(answer.at("/auditAnnotations/decision").asText()).isEqualTo("completed");
        assertThat(JSON.readTree(answer.path("patch").binaryValue())).isNotEmpty();
        assertThat(counted("completed")).isZero();
    }

    /** The API server has already treated such a review as failed. */
    @Test
    void countsAReviewThatTookTooLongAsFailed() {
        var body = Buffer.buffer(request("CREATE", gpuPod()).toString());
        var handler = new MutateHandler(
                Samples.DECIDER,
                new FixedConfiguration(Samples.catalogue(), true),
                FileNamespaces.of(new ResourceFiles(List.of())),
                registry);

        handler.handle(
                new Request(MutateHandler.PATH, "", body, Optional.empty(), false, OptionalLong.of(System.nanoTime())));

        assertThat(counted("failed")).isEqualTo(1);
        assertThat(counted("completed")).isZero();
    }

    @Test
    void nobodyElseGetsTheRehearsalsConfiguration() throws IOException {
        var body = Rehearsal.review().toString();
        var response = handle(Catalogue.EMPTY, true, Unknown.NAMESPACES, body);

        assertThat(JSON.readTree(response.body().getBytes())
                        .at("/response/auditAnnotations/decision")
                        .asText())
                .isEqualTo("postponed");
    }

    private double counted(String decision) {
        return counted(decision, "pod");
    }

    private double counted(String decision, String object) {
        return registry.get("trainyard.webhook.decisions")
                .tag("decision", decision)
                .tag("object", object)
                .counter()
                .count();
    }

    private JsonNode review(ObjectNode review) throws IOException {
        var response = handle(Samples.catalogue(), true, review.toString());
        assertThat(response.status()).isEqualTo(200);
        var answer = JSON.readTree(response.body().getBytes());
        assertThat(answer.path("apiVersion").asText()).isEqualTo("admission.k8s.io/v1");
        assertThat(answer.path("kind").asText()).isEqualTo("AdmissionReview");
        return answer;
    }

    private JsonNode inUnknownNamespace(ObjectNode pod) throws IOException {
        var body = request("CREATE", pod).toString();
        var response = handle(Samples.catalogue(), true, Unknown.NAMESPACES, body);
        return JSON.readTree(response.body().getBytes()).path("response");
    }

    private Response handle(Catalogue catalogue, boolean complete, String body) {
        return handle(catalogue, complete, FileNamespaces.of(new ResourceFiles(List.of())), body);
    }

    private Response handle(Catalogue catalogue, boolean complete, NamespaceSource namespaces, String body) {
        var configuration = new FixedConfiguration(catalogue, complete);
        return new MutateHandler(Samples.DECIDER, configuration, namespaces, registry)
                .handle(new Request(MutateHandler.PATH, "timeout=3s", Buffer.buffer(body), Optional.empty()));
    }

    private static ObjectNode gpuPod() {
        return Samples.pod("resources: {limits: {nvidia.com/gpu: \"1\"}}");
    }

    private static ObjectNode request(String operation, ObjectNode pod) {
        var review = Samples.yaml("""
                apiVersion: admission.k8s.io/v1
                kind: AdmissionReview
                request: {uid: u-1, namespace: default, kind: {group: "", version: v1, kind: Pod}}
                """);
        review.withObject("/request").put("operation", operation).set("object", pod);
        return review;
    }

    /** A watch that has not seen the newest namespaces yet. */
    private enum Unknown implements NamespaceSource {
        NAMESPACES;

        @Override
        public Optional<NamespaceFacts> facts(String namespace) {
            return Optional.empty();
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public void close() {}
    }

    record FixedConfiguration(Catalogue current, boolean isComplete) implements ConfigurationSource {
        @Override
        public void onChange(Runnable listener) {}

        @Override
        public void close() {}
    }
}
