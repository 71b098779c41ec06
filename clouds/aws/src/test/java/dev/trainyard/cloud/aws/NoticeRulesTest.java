package dev.trainyard.cloud.aws;

import static dev.trainyard.cloud.aws.RecordedEvents.EC2_INSTANCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shipped rules of EventBridge: they pass exactly the events that mean something. */
class NoticeRulesTest {

    private static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests", "aws");

    static Stream<String> meant() {
        return Stream.of(
                RecordedEvents.interruption(EC2_INSTANCE, "2026-01-01T10:00:00Z", "terminate"),
                RecordedEvents.rebalance(EC2_INSTANCE),
                RecordedEvents.state(EC2_INSTANCE, "stopping"),
                RecordedEvents.state(EC2_INSTANCE, "stopped"),
                RecordedEvents.state(EC2_INSTANCE, "shutting-down"),
                RecordedEvents.state(EC2_INSTANCE, "terminated"),
                RecordedEvents.state(EC2_INSTANCE, "running"),
                RecordedEvents.lifecycleAction(EC2_INSTANCE),
                RecordedEvents.retirement());
    }

    static Stream<String> others() {
        return Stream.of(
                RecordedEvents.state(EC2_INSTANCE, "pending"),
                RecordedEvents.retirement().replace("\"EC2\"", "\"RDS\""),
                RecordedEvents.retirement().replace("scheduledChange", "issue"));
    }

    @ParameterizedTest
    @MethodSource("meant")
    void passEventsThatMeanSomething(String event) throws IOException {
        assertThat(EventBridgeEvents.message("m", Instant.EPOCH, event).notices())
                .isNotEmpty();
        assertThat(rulesThatPass(event)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("others")
    void holdBackEventsThatMeanNothing(String event) throws IOException {
        assertThat(EventBridgeEvents.message("m", Instant.EPOCH, event).notices())
                .isEmpty();
        assertThat(rulesThatPass(event)).isZero();
    }

    @Test
    void queueAcceptsTheEventsOfEachRule() throws IOException {
        var rules = template().get("Resources").properties().stream()
                .filter(resource -> resource.getValue().get("Type").asText().equals("AWS::Events::Rule"))
                .map(resource -> resource.getKey())
                .toList();
        var senders = template()
                .at("/Resources/QueuePolicy/Properties/PolicyDocument/Statement/0/Condition/ArnEquals/aws:SourceArn");

        assertThat(senders)
                .extracting(sender -> sender.at("/Fn::GetAtt/0").asText())
                .hasSameElementsAs(rules);
    }

    @ParameterizedTest
    @ValueSource(strings = {"notices.yaml", "notices.tf"})
    void bothFilesHaveTheSameValues(String file) throws IOException {
        var text = Files.readString(MANIFESTS.resolve(file));
        for (var resource : template().get("Resources")) {
            values(resource.at("/Properties/EventPattern"))
                    .forEach(value -> assertThat(text).contains(value));
        }
        assertThat(text).contains("3600", "sqs:SendMessage", "events.amazonaws.com", "aws:SourceArn");
    }

    private static long rulesThatPass(String event) throws IOException {
        var json = new ObjectMapper().readTree(event);
        long passed = 0;
        for (var resource : template().get("Resources")) {
            if (resource.get("Type").asText().equals("AWS::Events::Rule")
                    && matches(resource.at("/Properties/EventPattern"), json)) {
                passed++;
            }
        }
        return passed;
    }

    private static JsonNode template() throws IOException {
        return new YAMLMapper().readTree(MANIFESTS.resolve("notices.yaml").toFile());
    }

    /** EventBridge user guide, "Event patterns": the event must have one of the values of each field of the pattern. */
    private static boolean matches(JsonNode pattern, JsonNode event) {
        if (pattern.isArray()) {
            return Stream.of(pattern).flatMap(NoticeRulesTest::values).anyMatch(event.asText()::equals);
        }
        return pattern.properties().stream().allMatch(field -> matches(field.getValue(), event.path(field.getKey())));
    }

    private static Stream<String> values(JsonNode pattern) {
        return pattern.isValueNode()
                ? Stream.of(pattern.asText())
                : Stream.iterate(0, i -> i < pattern.size(), i -> i + 1).flatMap(i -> values(child(pattern, i)));
    }

    private static JsonNode child(JsonNode node, int i) {
        return node.isArray()
                ? node.get(i)
                : node.properties().stream().skip(i).findFirst().orElseThrow().getValue();
    }
}
