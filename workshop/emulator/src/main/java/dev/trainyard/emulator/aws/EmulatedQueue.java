package dev.trainyard.emulator.aws;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A standard queue of SQS. A received message is invisible for a while, and comes again unless it is deleted. The receipt handle of a message
 * never changes here; SQS gives a new one with each delivery. Thread-safe.
 */
final class EmulatedQueue {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_AT_ONCE = 10;

    private final Clock clock;
    private final Map<String, Message> messages = new LinkedHashMap<>(); // by receipt handle; guarded by this
    private int sent;

    private record Message(String body, Instant sent, Instant visible) {}

    EmulatedQueue(Clock clock) {
        this.clock = clock;
    }

    synchronized void send(String body) {
        var now = clock.instant();
        messages.put("receipt-" + ++sent, new Message(body, now, now));
        notifyAll();
    }

    /**
     * Answers a request of the JSON protocol. Waits for a message as long as the request says.
     *
     * @param action such as {@code ReceiveMessage}
     * @throws IllegalArgumentException if the action is not emulated
     */
    JsonNode answer(String action, JsonNode request) throws InterruptedException {
        return switch (action) {
            case "ReceiveMessage" -> receive(request);
            case "DeleteMessageBatch" -> delete(request);
            default -> throw new IllegalArgumentException("the emulated SQS does not support " + action);
        };
    }

    private synchronized JsonNode receive(JsonNode request) throws InterruptedException {
        long end = System.nanoTime()
                + Duration.ofSeconds(request.path("WaitTimeSeconds").asLong()).toNanos();
        while (true) {
            var received = visible(request);
            long left = (end - System.nanoTime()) / 1_000_000;
            if (received.has("Messages") || left <= 0) {
                return received;
            }
            // An invisible message becomes visible without a notification.
            wait(Math.min(left, 1000));
        }
    }

    private ObjectNode visible(JsonNode request) {
        var now = clock.instant();
        var again = now.plusSeconds(request.path("VisibilityTimeout").asLong(30));
        int most = Math.min(MOST_AT_ONCE, request.path("MaxNumberOfMessages").asInt(1));
        var answer = JSON.createObjectNode();
        for (var entry : messages.entrySet()) {
            var message = entry.getValue();
            if (!now.isBefore(message.visible()) && answer.path("Messages").size() < most) {
                entry.setValue(new Message(message.body(), message.sent(), again));
                answer.withArray("/Messages")
                        .addObject()
                        .put("MessageId", entry.getKey())
                        .put("ReceiptHandle", entry.getKey())
                        .put("Body", message.body())
                        .put("MD5OfBody", md5(message.body()))
                        .putObject("Attributes")
                        .put("SentTimestamp", Long.toString(message.sent().toEpochMilli()));
            }
        }
        return answer;
    }

    private synchronized JsonNode delete(JsonNode request) {
        var answer = JSON.createObjectNode();
        var successful = answer.putArray("Successful");
        answer.putArray("Failed");
        for (var entry : request.path("Entries")) {
            messages.remove(entry.path("ReceiptHandle").asText());
            successful.addObject().put("Id", entry.path("Id").asText());
        }
        return answer;
    }

    private static String md5(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
