package dev.trainyard.cloud.aws;

import static dev.trainyard.cloud.aws.RecordedEvents.EC2_INSTANCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.MachineNotice;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventBridgeEventsTest {

    private static final Instant WARNED = Instant.parse("2026-01-01T10:00:00Z");

    @ParameterizedTest
    @CsvSource({"terminate, 120", "stop, 120", "hibernate, 0"})
    void interruptionIsTwoMinutesAfterItsWarningUnlessTheInstanceHibernates(String action, int seconds) {
        assertThat(notices(RecordedEvents.interruption(EC2_INSTANCE, "2026-01-01T10:00:00Z", action)))
                .containsExactly(MachineNotice.of(
                        EC2_INSTANCE, Names.AWS_SPOT_INTERRUPTION, WARNED.plusSeconds(seconds), WARNED));
    }

    @Test
    void readsTerminationByAGroup() {
        assertThat(notices(RecordedEvents.lifecycleAction(EC2_INSTANCE)))
                .containsExactly(MachineNotice.ending(EC2_INSTANCE, Names.AWS_LIFECYCLE_ACTION, WARNED));
    }

    @Test
    void readsRebalanceRecommendation() {
        assertThat(notices(RecordedEvents.rebalance(EC2_INSTANCE)))
                .containsExactly(new MachineNotice(
                        EC2_INSTANCE, Names.AWS_REBALANCE_RECOMMENDATION, "elevated risk of interruption", WARNED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stopping", "stopped", "shutting-down", "terminated"})
    void readsTheStatesOfEndingInstances(String state) {
        assertThat(notices(RecordedEvents.state(EC2_INSTANCE, state)))
                .satisfiesExactly(notice -> assertThat(notice)
                        .isEqualTo(MachineNotice.ending(EC2_INSTANCE, Names.AWS_INSTANCE_STATE, notice.announced())));
    }

    @Test
    void runningInstanceDoesNotEndAnyMore() {
        assertThat(notices(RecordedEvents.state(EC2_INSTANCE, "running")))
                .containsExactly(MachineNotice.withdrawn(
                        EC2_INSTANCE, Names.AWS_INSTANCE_STATE, Instant.parse("2021-11-11T21:29:54Z")));
        assertThat(notices(RecordedEvents.state(EC2_INSTANCE, "pending"))).isEmpty();
    }

    @Test
    void readsRetirementOfAnInstance() {
        var time = Instant.parse("2018-11-01T22:00:00Z");
        assertThat(notices(RecordedEvents.retirement()))
                .containsExactly(MachineNotice.of("i-0c608386538544571", Names.AWS_SCHEDULED_END, time, time));
    }

    @ParameterizedTest
    @CsvSource({
        "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED, trainyard.dev/aws-scheduled-end",
        "AWS_EC2_INSTANCE_RETIREMENT_EXPEDITED, trainyard.dev/aws-scheduled-end",
        "AWS_EC2_INSTANCE_STOP_SCHEDULED, trainyard.dev/aws-scheduled-end",
        "AWS_EC2_INSTANCE_TERMINATION_SCHEDULED, trainyard.dev/aws-scheduled-end",
        "AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED, trainyard.dev/aws-scheduled-maintenance",
        "AWS_EC2_INSTANCE_NETWORK_MAINTENANCE_SCHEDULED, trainyard.dev/aws-scheduled-maintenance"
    })
    void readsScheduledChangesOfAllInstances(String type, String annotation) {
        var start = Instant.parse("2022-06-16T15:10:09Z");
        var updated = Instant.parse("2022-06-03T05:29:12Z");
        assertThat(notices(RecordedEvents.scheduled(type, "upcoming", "Sat, 16 Jun 2022 15:10:09 GMT")))
                .containsExactly(
                        MachineNotice.of("i-12345678", annotation, start, updated),
                        MachineNotice.of("i-87654321", annotation, start, updated));
        assertThat(notices(RecordedEvents.scheduled(type, "closed", "")))
                .containsExactly(
                        MachineNotice.withdrawn("i-12345678", annotation, updated),
                        MachineNotice.withdrawn("i-87654321", annotation, updated));
    }

    @Test
    void changeOfAnInstanceIsOverOnceItIsResolved() {
        var event =
                RecordedEvents.scheduled("AWS_EC2_INSTANCE_STOP_SCHEDULED", "open", "Sat, 16 Jun 2022 15:10:09 GMT");
        assertThat(notices(event.replaceFirst("\"PENDING\"", "\"RESOLVED\"")))
                .extracting(MachineNotice::text)
                .containsExactly("withdrawn", "ends at 2022-06-16T15:10:09Z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{}",
                "text",
                "{\"source\": \"aws.ec2\"}",
                "{\"source\": \"aws.ec2\", \"detail-type\": \"EC2 Spot Instance Interruption Warning\", \"time\": 1}",
                "{\"source\": \"aws.ec2\", \"detail-type\": \"EC2 Spot Instance Interruption Warning\"}"
            })
    void reportsMessagesThatAreNoEvents(String body) {
        var message = EventBridgeEvents.message("handle", WARNED, body);
        assertThat(message.notices()).isEmpty();
        assertThat(message.problem()).isPresent();
        assertThat(message.handle()).isEqualTo("handle");
    }

    @ParameterizedTest
    @ValueSource(strings = {"m-1", "i-", "i-XYZ", "", "../i-1234567g"})
    void ignoresResourcesThatAreNoInstances(String id) {
        assertThat(notices(RecordedEvents.interruption(id, "2026-01-01T10:00:00Z", "stop")))
                .isEmpty();
    }

    @Test
    void readsNoHugeOrDeepMessage() {
        assertThat(EventBridgeEvents.message("m", WARNED, " ".repeat(2 << 20) + RecordedEvents.rebalance(EC2_INSTANCE))
                        .problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("characters"));
        assertThat(EventBridgeEvents.message("m", WARNED, "[".repeat(500_000)).problem())
                .isPresent();
    }

    @Property
    void neverFails(@ForAll String time, @ForAll String text) {
        EventBridgeEvents.message("m", WARNED, text);
        EventBridgeEvents.message(
                "m",
                WARNED,
                RecordedEvents.interruption(EC2_INSTANCE, time.replaceAll("[\"\\\\\\p{Cntrl}]", ""), "stop"));
        EventBridgeEvents.message(
                "m", WARNED, RecordedEvents.interruption(EC2_INSTANCE, "+1000000000-12-31T23:59:59Z", "stop"));
    }

    private static List<MachineNotice> notices(String body) {
        var message = EventBridgeEvents.message("m", WARNED, body);
        assertThat(message.problem()).isEmpty();
        return message.notices();
    }
}
