package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** An emulated AWS with short delays, its Auto Scaling groups, and a queue of its notices. */
final class EmulatedGroups implements CloudGroups {

    /**
     * The delays of AWS. The launch delay is zero: the scaler must see each machine before the machine's node joins, and in this cluster
     * nodes join early.
     */
    private static final AwsPace PACE =
            new AwsPace(Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(1));

    private static final String CLUSTER = "demo";

    private final Clock clock = Clock.systemUTC();
    private final AwsEmulator aws = AwsEmulator.start(clock, PACE);
    private final String queue = aws.queue("trainyard-" + CLUSTER);

    @Override
    public AwsEmulator emulator() {
        return aws;
    }

    @Override
    public String make(Pool pool) {
        var group = aws.group(pool.name() + ".demo.example.com");
        return (pool.isSpot() ? group : group.onDemand())
                .bounds(pool.min(), pool.max())
                .protectNew(true)
                .tag("trainyard-cluster", CLUSTER)
                .name();
    }

    @Override
    public void describe(String group, ObjectNode provider) {
        provider.putObject("awsAutoScalingGroup")
                .put("region", AwsEmulator.REGION)
                .put("name", group)
                .put("protectFromScaleIn", true);
    }

    @Override
    public Optional<String> settings() {
        return Optional.of("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingCluster
                metadata: {name: default}
                spec:
                  noticeQueues:
                    - {sqs: "%s", otherMessages: Delete}
                """.formatted(queue));
    }

    /** Sends to the queue what EventBridge sends two minutes before AWS interrupts a spot instance. */
    @Override
    public Optional<String> announceReclaim(String node) {
        var instance = aws.machines().stream()
                .filter(machine -> machine.name().equals(node))
                .flatMap(machine -> MachineNotice.machineOf(machine.providerId()).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the emulated AWS has no instance of node " + node));
        var event = interruption(instance, clock.instant().truncatedTo(ChronoUnit.SECONDS));
        aws.send(queue, event);
        return Optional.of("aws sqs send-message --queue-url %s --message-body '%s'".formatted(queue, event));
    }

    /** Returns an event as in the EC2 user guide, "Spot Instance interruption notices". */
    private static String interruption(String instance, Instant now) {
        return """
                {"version": "0", "id": "12345678-1234-1234-1234-123456789012", \
                "detail-type": "EC2 Spot Instance Interruption Warning", "source": "aws.ec2", \
                "account": "123456789012", "time": "%1$s", "region": "%2$s", \
                "resources": ["arn:aws:ec2:%2$s:123456789012:instance/%3$s"], \
                "detail": {"instance-id": "%3$s", "instance-action": "terminate"}}""".formatted(now, AwsEmulator.REGION, instance);
    }
}
