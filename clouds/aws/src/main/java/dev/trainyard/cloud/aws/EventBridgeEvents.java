package dev.trainyard.cloud.aws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.scaler.provider.NoticeQueue.Message;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The meaning of EventBridge's events about instances. Sources: EC2 user guide, "Spot Instance interruption notices", "EC2 instance rebalance
 * recommendations" and "State change events"; EC2 Auto Scaling user guide, "Amazon EC2 Auto Scaling event reference"; AWS Health user
 * guide, "AWS Health events Amazon EventBridge schema".
 */
final class EventBridgeEvents {

    /** The time between the announcement of an interruption and the interruption. Hibernation begins at once. */
    private static final Duration NOTICE = Duration.ofMinutes(2);

    private static final Pattern INSTANCE = Pattern.compile("i-[0-9a-f]{8,17}");

    /** Parts of AWS Health's event types after which an instance is gone. After the other scheduled changes the instance comes back. */
    private static final List<String> LAST_CHANGES = List.of("_RETIREMENT_", "_TERMINATION_", "_STOP_");

    /** Longer messages are not read. EventBridge limits events to 256 KiB, except those that AWS services publish. */
    private static final int LONGEST = 1 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    private EventBridgeEvents() {}

    /** Reads the body of a message. Never fails. */
    static Message message(String handle, Instant sent, String body) {
        try {
            return new Message(handle, sent, notices(body), Optional.empty());
        } catch (JsonProcessingException | DateTimeException | ArithmeticException | IllegalArgumentException e) {
            var problem = e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
            return new Message(handle, sent, List.of(), Optional.of(String.valueOf(problem)));
        }
    }

    private static List<MachineNotice> notices(String body) throws JsonProcessingException {
        if (body.length() > LONGEST) {
            throw new IllegalArgumentException("%d characters; expected an event".formatted(body.length()));
        }
        var event = JSON.readTree(body);
        var type =
                event.path("source").asText() + " " + event.path("detail-type").asText();
        var detail = event.path("detail");
        return switch (type) {
            case "aws.ec2 EC2 Spot Instance Interruption Warning" -> {
                var at = time(event.path("time"));
                boolean atOnce = detail.path("instance-action").asText().equals("hibernate");
                yield notice(
                        detail.path("instance-id"),
                        id -> MachineNotice.of(id, Names.AWS_SPOT_INTERRUPTION, atOnce ? at : at.plus(NOTICE), at));
            }
            case "aws.ec2 EC2 Instance Rebalance Recommendation" -> {
                var at = time(event.path("time"));
                yield notice(
                        detail.path("instance-id"),
                        id -> new MachineNotice(
                                id, Names.AWS_REBALANCE_RECOMMENDATION, "elevated risk of interruption", at));
            }
            case "aws.ec2 EC2 Instance State-change Notification" -> {
                var at = time(event.path("time"));
                yield switch (detail.path("state").asText()) {
                    case "stopping", "stopped", "shutting-down", "terminated" ->
                        notice(
                                detail.path("instance-id"),
                                id -> MachineNotice.ending(id, Names.AWS_INSTANCE_STATE, at));
                    // The owner of an instance has stopped and started the instance.
                    case "running" ->
                        notice(
                                detail.path("instance-id"),
                                id -> MachineNotice.withdrawn(id, Names.AWS_INSTANCE_STATE, at));
                    default -> List.of();
                };
            }
            case "aws.autoscaling EC2 Instance-terminate Lifecycle Action" -> {
                var at = time(event.path("time"));
                yield notice(
                        detail.path("EC2InstanceId"), id -> MachineNotice.ending(id, Names.AWS_LIFECYCLE_ACTION, at));
            }
            case "aws.health AWS Health Event" -> scheduled(event, detail);
            default -> {
                if (event.path("detail-type").isMissingNode()) {
                    throw new IllegalArgumentException("it is no event of EventBridge: detail-type is missing");
                }
                yield List.of();
            }
        };
    }

    private static List<MachineNotice> scheduled(JsonNode event, JsonNode detail) {
        if (!detail.path("service").asText().equals("EC2")
                || !detail.path("eventTypeCategory").asText().equals("scheduledChange")) {
            return List.of();
        }
        var type = detail.path("eventTypeCode").asText();
        var annotation = LAST_CHANGES.stream().anyMatch(type::contains)
                ? Names.AWS_SCHEDULED_END
                : Names.AWS_SCHEDULED_MAINTENANCE;
        var updated = detail.path("lastUpdatedTime");
        var announced = time(updated.isTextual() ? updated : event.path("time"));
        boolean closed = detail.path("statusCode").asText().equals("closed");
        var start = closed ? announced : time(detail.path("startTime"));
        var notices = new ArrayList<MachineNotice>();
        for (var entity : detail.path("affectedEntities")) {
            // The owner of an instance resolves its change early, by stopping and starting the instance.
            boolean over = closed || entity.path("status").asText().equals("RESOLVED");
            notices.addAll(notice(
                    entity.path("entityValue"),
                    id -> over
                            ? MachineNotice.withdrawn(id, annotation, announced)
                            : MachineNotice.of(id, annotation, start, announced)));
        }
        return notices;
    }

    /** Returns the notice about an entity; none if the entity is no instance. Some events name instances by their ARNs. */
    private static List<MachineNotice> notice(JsonNode entity, Function<String, MachineNotice> about) {
        var name = entity.asText();
        var id = name.substring(name.lastIndexOf('/') + 1);
        return INSTANCE.matcher(id).matches() ? List.of(about.apply(id)) : List.of();
    }

    /** Reads a time, in the form of EventBridge or of AWS Health. In AWS's own examples some days of the week are wrong. */
    private static Instant time(JsonNode node) {
        var text = node.asText();
        int comma = text.indexOf(", ");
        return comma < 0
                ? Instant.parse(text)
                : Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text.substring(comma + 2)));
    }
}
