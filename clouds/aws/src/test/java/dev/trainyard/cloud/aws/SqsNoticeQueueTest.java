package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.NoticeQueue.Message;
import dev.trainyard.scaler.provider.ProviderException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** The requests and failures on a server that speaks SQS's JSON protocol. {@link MotoNoticeQueueTest} runs on an independent emulator. */
class SqsNoticeQueueTest {

    private static final String URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/trainyard-mine";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private SqsNoticeQueue queue;
    private int status = 200;
    private String answer = "{}";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        queue = new SqsNoticeQueue(URL, new AwsCalls("eu-west-1", settings()));
    }

    @AfterEach
    void stop() {
        queue.close();
        server.stop(0);
    }

    @Test
    void asksForTenMessagesAndWaitsAsLongAsAwsAllows() throws Exception {
        assertThat(queue.receive()).isEmpty();
        assertThat(requests).hasSize(1);
        assertThat(requests.get(0)).startsWith("AmazonSQS.ReceiveMessage ");
        assertThat(new ObjectMapper()
                        .readTree(requests.get(0).substring(requests.get(0).indexOf('{'))))
                .isEqualTo(new ObjectMapper()
                        .readTree(
                                "{\"QueueUrl\": \"%s\", \"MaxNumberOfMessages\": 10, \"WaitTimeSeconds\": 20, \"VisibilityTimeout\": 10, \"MessageSystemAttributeNames\": [\"SentTimestamp\"]}"
                                        .formatted(URL)));
    }

    /** The policy names the queue by the tag of the role, so the scaler of one cluster cannot read the queue of another one. */
    @Test
    void thePolicyAllowsWhatIsAskedForTheQueueOfTheClusterOnly() throws Exception {
        queue.receive();
        queue.delete(List.of(message("h1")));

        var statement = IamPolicy.shipped().statement("ReadNoticesOfThisCluster");
        assertThat(statement.get("Action"))
                .extracting(action ->
                        action.asText().replace("sqs:", "AmazonSQS.").replaceFirst("DeleteMessage$", "$0Batch"))
                .containsExactlyInAnyOrderElementsOf(requests.stream()
                        .map(request -> request.substring(0, request.indexOf(' ')))
                        .toList());
        assertThat(statement.get("Resource").asText())
                .isEqualTo("arn:*:sqs:*:*:trainyard-${aws:PrincipalTag/trainyard-cluster}");
    }

    @Test
    void readsWhenAMessageWasSent() throws Exception {
        answer =
                "{\"Messages\": [{\"ReceiptHandle\": \"h1\", \"Body\": \"no event\", \"MD5OfBody\": \"%s\", \"Attributes\": {\"SentTimestamp\": \"1767261600123\"}}]}"
                        .formatted(md5("no event"));

        assertThat(queue.receive())
                .extracting(Message::handle, Message::sent)
                .containsExactly(tuple("h1", Instant.parse("2026-01-01T10:00:00.123Z")));
    }

    @Test
    void deletesUpToTenMessagesWithOneRequest() throws Exception {
        queue.delete(IntStream.range(0, 11).mapToObj(i -> message("h" + i)).toList());

        assertThat(requests)
                .hasSize(2)
                .allSatisfy(request -> assertThat(request).startsWith("AmazonSQS.DeleteMessageBatch "))
                .first()
                .satisfies(request ->
                        assertThat(request.split("ReceiptHandle", -1)).hasSize(11));
    }

    @Test
    void failsOnlyIfNoMessageWasDeleted() throws Exception {
        answer =
                "{\"Successful\": [{\"Id\": \"0\"}], \"Failed\": [{\"Id\": \"1\", \"Code\": \"InternalError\", \"Message\": \"no\", \"SenderFault\": false}]}";
        queue.delete(List.of(message("h1"), message("h2")));

        assertThatThrownBy(() -> queue.delete(List.of(message("h1"))))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("InternalError");
    }

    @ParameterizedTest
    @CsvSource({
        "400, com.amazonaws.sqs#RequestThrottled, THROTTLED",
        "503, ServiceUnavailable, TRANSIENT",
        "403, AccessDeniedException, AUTH",
    })
    void failureIsReportedAfterOneRequest(int code, String type, FailureKind kind) {
        status = code;
        answer = "{\"__type\": \"%s\", \"message\": \"no\"}".formatted(type);

        var failure = catchThrowableOfType(ProviderException.class, queue::receive);
        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure.words()).startsWith("sqs:ReceiveMessage: ");
        assertThat(requests).hasSize(1);
    }

    @Test
    void refusalNamesTheQueueThatThePolicyAllows() {
        status = 403;
        answer = "{\"__type\": \"AccessDeniedException\", \"message\": \"no\"}";
        assertThatThrownBy(queue::receive)
                .hasMessageEndingWith(
                        "allow sqs:ReceiveMessage, as manifests/aws/iam-policy.json does for the queue 'trainyard-' and the value of the role's tag trainyard-cluster");
    }

    @Test
    void checksRightsWithoutHidingOrDeletingAMessage() throws Exception {
        answer = "{\"Failed\": [{\"Id\": \"0\", \"Code\": \"ReceiptHandleIsInvalid\", \"SenderFault\": true}]}";

        assertThat(queue.rights())
                .containsExactly(CloudRight.allowed("sqs:ReceiveMessage"), CloudRight.allowed("sqs:DeleteMessage"));
        assertThat(requests)
                .hasSize(2)
                .anyMatch(request -> request.startsWith("AmazonSQS.ReceiveMessage ")
                        && request.contains("\"VisibilityTimeout\":0")
                        && request.contains("\"WaitTimeSeconds\":0"))
                .anyMatch(request -> request.startsWith("AmazonSQS.DeleteMessageBatch ")
                        && request.contains("\"ReceiptHandle\":\"none\""));
    }

    @Test
    void missingRightsAreRefused() throws Exception {
        status = 403;
        answer = "{\"__type\": \"AccessDeniedException\", \"message\": \"no\"}";

        assertThat(queue.rights())
                .extracting(CloudRight::answer)
                .containsExactly(CloudRight.Answer.REFUSED, CloudRight.Answer.REFUSED);
    }

    @Test
    void rightsOnMissingQueueAreUnknown() {
        status = 400;
        answer = "{\"__type\": \"com.amazonaws.sqs#QueueDoesNotExist\", \"message\": \"no such queue\"}";

        assertThatThrownBy(queue::rights)
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("QueueDoesNotExist");
    }

    @Test
    void answerThatIsNoJsonIsAFailure() {
        answer = "<html>";
        assertThatThrownBy(queue::receive).isInstanceOf(ProviderException.class);
    }

    @Test
    void theRegionIsThatOfTheUrl() {
        assertThat(SqsNoticeQueue.region(URL)).isEqualTo("eu-west-1");
        assertThat(SqsNoticeQueue.region("https://sqs.us-gov-west-1.amazonaws.com/123456789012/q"))
                .isEqualTo("us-gov-west-1");
        assertThat(SqsNoticeQueue.region("https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q"))
                .isEqualTo("cn-north-1");
    }

    private static Message message(String handle) {
        return new Message(handle, Instant.EPOCH, List.of(), Optional.empty());
    }

    private static String md5(String text) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(exchange.getRequestHeaders().getFirst("X-Amz-Target") + " " + body);
            var bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private AwsSettings settings() {
        return new AwsSettings(
                Optional.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort())),
                Optional.empty(),
                StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "x".repeat(40))),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofMillis(1));
    }
}
