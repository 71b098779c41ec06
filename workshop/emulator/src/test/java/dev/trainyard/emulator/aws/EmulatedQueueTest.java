package dev.trainyard.emulator.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class EmulatedQueueTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Instant now = Instant.parse("2026-01-01T10:00:00Z");
    private final InstantSource clock = () -> now;
    private final EmulatedQueue queue = new EmulatedQueue(clock.withZone(ZoneOffset.UTC));

    @Test
    void deliversAMessageAgainUnlessItIsDeleted() throws Exception {
        queue.send("event");
        var message = receive().at("/Messages/0");

        assertThat(message.path("Body").asText()).isEqualTo("event");
        assertThat(message.at("/Attributes/SentTimestamp").asLong()).isEqualTo(now.toEpochMilli());
        assertThat(receive().has("Messages")).isFalse();
        now = now.plusSeconds(10);
        assertThat(receive().at("/Messages/0/Body").asText()).isEqualTo("event");

        var deleted = queue.answer(
                "DeleteMessageBatch",
                JSON.readTree("{\"Entries\": [{\"Id\": \"0\", \"ReceiptHandle\": \"%s\"}]}"
                        .formatted(message.path("ReceiptHandle").asText())));
        assertThat(deleted.at("/Successful/0/Id").asText()).isEqualTo("0");
        now = now.plusSeconds(10);
        assertThat(receive().has("Messages")).isFalse();
    }

    @Test
    void returnsAtMostTenMessages() throws Exception {
        for (int i = 0; i < 12; i++) {
            queue.send("event " + i);
        }

        assertThat(receive().path("Messages")).hasSize(10);
        assertThat(receive().path("Messages")).hasSize(2);
    }

    @Test
    void refusesOtherActions() {
        assertThatThrownBy(() -> queue.answer("PurgeQueue", JSON.createObjectNode()))
                .hasMessage("the emulated SQS does not support PurgeQueue");
    }

    private JsonNode receive() throws Exception {
        return queue.answer(
                "ReceiveMessage", JSON.readTree("{\"MaxNumberOfMessages\": 10, \"VisibilityTimeout\": 10}"));
    }
}
