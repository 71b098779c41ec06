package dev.trainyard.cloud.aws;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.emulator.aws.EmulatedInstance;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.CloudStage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** An emulated AWS with one group, in which nothing happens by itself, and the provider for it. */
final class AwsStage implements CloudStage {

    static final String REGION = AwsEmulator.REGION;
    static final String GROUP = "heavy-spot.example.com";

    final MovedClock clock = new MovedClock();
    final AwsEmulator aws = AwsEmulator.startStill(clock);
    final EmulatedGroup group = aws.group(GROUP);
    private AwsProvider provider;
    private Boolean guards = true;

    /** Switches off the pool's scale-in protection. */
    AwsStage unguarded() {
        guards = false;
        return this;
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.allOf(Ability.class);
    }

    @Override
    public AwsProvider provider() {
        if (provider == null) {
            provider = new AwsProvider(clock, region -> new AwsCalls(region, settings()));
        }
        return provider;
    }

    AwsSettings settings() {
        return settings(aws);
    }

    AwsSettings settings(AwsCredentialsProvider credentials) {
        return settings(aws, credentials);
    }

    /** Returns settings for an emulator, with short timeouts. */
    static AwsSettings settings(AwsEmulator aws) {
        return settings(
                aws,
                StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "x".repeat(40))));
    }

    private static AwsSettings settings(AwsEmulator aws, AwsCredentialsProvider credentials) {
        try {
            return new AwsSettings(
                    Optional.of(aws.url()),
                    Optional.of(AwsSettings.trust(
                            new ByteArrayInputStream(aws.authorityPem().getBytes(StandardCharsets.US_ASCII)))),
                    credentials,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofMillis(1));
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Pool pool() {
        return pool("heavy-spot", GROUP, guards);
    }

    static Pool pool(String name, String group, Boolean guards) {
        return Pool.of(
                name,
                Objects.spot(1)
                        .max(20)
                        .spec(new ProviderSpec(null, null, new AwsAutoScalingGroup(REGION, group, guards), null)));
    }

    /** Returns a mixed instances policy of spot instances, as a group's source of instances. */
    static String mixed(String... types) {
        return "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>lt-spot</LaunchTemplateId></LaunchTemplateSpecification><Overrides>%s</Overrides></LaunchTemplate><InstancesDistribution><OnDemandBaseCapacity>0</OnDemandBaseCapacity><OnDemandPercentageAboveBaseCapacity>0</OnDemandPercentageAboveBaseCapacity></InstancesDistribution></MixedInstancesPolicy>"
                .formatted(Stream.of(types)
                        .map("<member><InstanceType>%s</InstanceType></member>"::formatted)
                        .collect(Collectors.joining()));
    }

    /** Returns a pool of this group with a minimum. */
    static Pool pool(String name, int min) {
        return Pool.of(
                name,
                Objects.spot(1)
                        .min(min)
                        .max(20)
                        .spec(new ProviderSpec(null, null, new AwsAutoScalingGroup(REGION, GROUP, true), null)));
    }

    @Override
    public int target() {
        return group.desired();
    }

    @Override
    public Set<String> machines() {
        return group.instances().stream()
                .filter(EmulatedInstance::counts)
                .map(EmulatedInstance::id)
                .collect(Collectors.toSet());
    }

    @Override
    public void appear() {
        clock.move(Duration.ofSeconds(5));
        aws.groups().forEach(EmulatedGroup::launch);
    }

    @Override
    public void settle() {
        appear();
        aws.groups().forEach(EmulatedGroup::finish);
        clock.move(Duration.ofSeconds(5));
    }

    @Override
    public void stock(int machines) {
        group.stock(machines);
    }

    @Override
    public void vanish(String machine) {
        later(() -> group.instances().removeIf(instance -> instance.id().equals(machine)));
    }

    @Override
    public void resize(int target) {
        later(() -> group.resize(target));
    }

    @Override
    public void bound(int least, int most) {
        later(() -> group.bounds(least, most));
    }

    @Override
    public void throttle() {
        strike(AwsFault.error(400, "Throttling", "Rate exceeded"));
    }

    @Override
    public void breakDown() {
        strike(AwsFault.reset());
    }

    @Override
    public void forbid() {
        strike(
                AwsFault.error(
                        403,
                        "AccessDenied",
                        "User: arn:aws:iam::123456789012:user/trainyard is not authorized to perform: autoscaling:DescribeAutoScalingGroups"));
    }

    @Override
    public void loseAnswer() {
        strike(AwsFault.lostAnswer().once());
    }

    @Override
    public void clearFaults() {
        strike(AwsFault.NONE);
    }

    void strike(AwsFault fault) {
        later(() -> aws.strike(fault));
    }

    private void later(Runnable change) {
        clock.move(AwsRegion.FRESH);
        change.run();
    }

    @Override
    public void restart() {
        provider.close();
        provider = null;
    }

    @Override
    public void close() {
        provider().close();
        aws.close();
    }
}
