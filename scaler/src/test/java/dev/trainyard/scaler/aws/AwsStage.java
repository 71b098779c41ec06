package dev.trainyard.scaler.aws;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.aws.FakeAws.Fault;
import dev.trainyard.scaler.provider.CloudStage;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** {@link FakeAws} with one group, and the provider beside it. */
final class AwsStage implements CloudStage {

    static final String REGION = "eu-west-1";
    static final String GROUP = "heavy-spot.example.com";

    final MovedClock clock = new MovedClock();
    final FakeAws aws;
    final FakeGroup group;
    private AwsProvider provider;
    private Boolean guards = true;

    AwsStage() throws IOException {
        aws = new FakeAws(clock);
        group = aws.group(GROUP, clock);
        provider = provider();
    }

    /** The pool's administrator does not ask for protection. */
    AwsStage unguarded() {
        guards = null;
        return this;
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.allOf(Ability.class);
    }

    @Override
    public AwsProvider provider() {
        if (provider == null) {
            provider = new AwsProvider(clock, region -> new AwsCalls(region, aws.settings()));
        }
        return provider;
    }

    @Override
    public Pool pool() {
        return pool("heavy-spot", GROUP, guards);
    }

    static Pool pool(String name, String group, Boolean guards) {
        var like = Objects.spot(1).max(20).spec();
        return Pool.of(
                name,
                new TrainingPoolSpec(
                        new ProviderSpec(null, null, new AwsAutoScalingGroup(REGION, group, guards), null),
                        like.capacityType(),
                        like.min(),
                        like.max(),
                        like.spare(),
                        like.promise(),
                        like.hourlyPrice(),
                        like.provisionTimeout(),
                        like.scaleDown()));
    }

    @Override
    public int target() {
        return group.desired;
    }

    @Override
    public Set<String> machines() {
        return group.instances.stream()
                .filter(FakeGroup.FakeInstance::counts)
                .map(instance -> instance.id)
                .collect(Collectors.toSet());
    }

    @Override
    public void appear() {
        clock.move(Duration.ofSeconds(5));
        synchronized (aws) {
            aws.groups.values().forEach(FakeGroup::launch);
        }
    }

    @Override
    public void settle() {
        appear();
        synchronized (aws) {
            aws.groups.values().forEach(FakeGroup::finish);
        }
        clock.move(Duration.ofSeconds(5));
    }

    @Override
    public void stock(int machines) {
        group.stock = machines;
    }

    @Override
    public void vanish(String machine) {
        later(() -> group.instances.removeIf(instance -> instance.id.equals(machine)));
    }

    @Override
    public void resize(int target) {
        later(() -> group.resize(target));
    }

    @Override
    public void bound(int least, int most) {
        later(() -> {
            group.min = least;
            group.max = most;
        });
    }

    @Override
    public void throttle() {
        strike(Fault.error(400, "Throttling", "Rate exceeded"));
    }

    @Override
    public void breakDown() {
        strike(Fault.reset());
    }

    @Override
    public void forbid() {
        strike(
                Fault.error(
                        403,
                        "AccessDenied",
                        "User: arn:aws:iam::123456789012:user/trainyard is not authorized to perform: autoscaling:DescribeAutoScalingGroups"));
    }

    @Override
    public void loseAnswer() {
        strike(Fault.lostAnswer().once());
    }

    @Override
    public void mend() {
        strike(Fault.NONE);
    }

    void strike(Fault fault) {
        later(() -> aws.fault = fault);
    }

    private void later(Runnable change) {
        clock.move(AwsRegion.FRESH);
        synchronized (aws) {
            change.run();
        }
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
