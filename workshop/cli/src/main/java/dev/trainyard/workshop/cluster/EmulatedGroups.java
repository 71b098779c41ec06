package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import java.time.Clock;
import java.time.Duration;

/** An emulated AWS with short delays, and its Auto Scaling groups. */
final class EmulatedGroups implements CloudGroups {

    /**
     * The delays of AWS. The launch delay is zero: the scaler must see each machine before the machine's node joins, and in this cluster
     * nodes join early.
     */
    private static final AwsPace PACE =
            new AwsPace(Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(1));

    private final AwsEmulator aws = AwsEmulator.start(Clock.systemUTC(), PACE);

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
                .tag("trainyard-cluster", "demo")
                .name();
    }

    @Override
    public void describe(String group, ObjectNode provider) {
        provider.putObject("awsAutoScalingGroup")
                .put("region", AwsEmulator.REGION)
                .put("name", group)
                .put("protectFromScaleIn", true);
    }
}
