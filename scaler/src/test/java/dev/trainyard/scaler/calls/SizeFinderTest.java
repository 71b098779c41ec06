package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls begin when the test starts them, in time that the test moves. */
class SizeFinderTest {

    private static final ProviderSpec AWS =
            new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", "group"), null);
    private static final ProviderSpec KWOK = new ProviderSpec(null, null, null, new Kwok(null, null, null, null));
    private static final MachineSize P9 = new MachineSize(Cloud.AWS, "p9.large", 4, 16L << 30, 0, GpuKind.UNKNOWN, 29);

    private final ScriptedCloud cloud = new ScriptedCloud();
    private final List<Runnable> calls = new ArrayList<>();
    private final List<String> metered = new ArrayList<>();
    private final AtomicInteger news = new AtomicInteger();
    private long nanos = 5;

    private final SizeFinder finder = new SizeFinder(
            new Caller(
                    Map.of("awsAutoScalingGroup", cloud, "kwok", cloud),
                    new CallMeter() {
                        @Override
                        public void called(String provider, String operation, String result, Duration took) {
                            metered.add("%s %s %s".formatted(provider, operation, result));
                        }

                        @Override
                        public void waited(String provider, String operation, Duration wait) {}
                    },
                    () -> nanos,
                    time -> {}),
            (provider, call) -> calls.add(call),
            () -> nanos,
            news::incrementAndGet);

    @Test
    void aCloudIsAskedOnceAndNobodyWaitsForIt() {
        cloud.sizes.put("p9.large", P9);

        assertThat(find()).isEqualTo(new SizeAnswer.Untold("the cloud is being queried for this size"));
        assertThat(find()).isInstanceOf(SizeAnswer.Untold.class);
        assertThat(calls).hasSize(1);

        answer();

        assertThat(news).hasValue(1);
        assertThat(find()).isEqualTo(new SizeAnswer.Told(P9));
        assertThat(calls).isEmpty();
        assertThat(metered).containsExactly("awsAutoScalingGroup size ok");
    }

    @Test
    void aSecondSizeIsAskedForWhenTheFirstIsAnswered() {
        find();
        assertThat(finder.find(AWS, "p9.small"))
                .contains(new SizeAnswer.Untold("the cloud is being queried for this size"));
        assertThat(calls).as("a cloud that hangs holds one thread").hasSize(1);

        answer();
        finder.find(AWS, "p9.small");
        assertThat(calls).hasSize(1);
    }

    @Test
    void aFailureIsSaidAndTheCloudAskedAgainAtGrowingIntervals() {
        cloud.sizesFail =
                new ProviderException(FailureKind.AUTH, "not authorized to perform: ec2:DescribeInstanceTypes");
        find();
        answer();

        assertThat(find())
                .isEqualTo(new SizeAnswer.Untold(
                        "AWS did not return this size: auth: not authorized to perform: ec2:DescribeInstanceTypes"));
        assertThat(calls).as("not at once").isEmpty();

        later(Duration.ofMinutes(1));
        find();
        answer();
        later(Duration.ofMinutes(1));
        find();
        assertThat(calls).as("twice as long after the second failure").isEmpty();

        later(Duration.ofMinutes(1));
        find();
        cloud.sizesFail = null;
        cloud.sizes.put("p9.large", P9);
        answer();
        assertThat(find()).isEqualTo(new SizeAnswer.Told(P9));
    }

    @Test
    void aCloudThatSaysWhenIsNotAskedBefore() {
        cloud.sizesFail = new ProviderException(FailureKind.THROTTLED, "slow down", Duration.ofMinutes(10));
        find();
        answer();

        later(Duration.ofMinutes(9));
        find();
        assertThat(calls).isEmpty();
        later(Duration.ofMinutes(1));
        find();
        assertThat(calls).hasSize(1);
    }

    @Test
    void aDayOfFailuresIsAskedAboutElevenTimesAndTheNextOnce() {
        cloud.sizesFail =
                new ProviderException(FailureKind.AUTH, "not authorized to perform: ec2:DescribeInstanceTypes");
        assertThat(asked(Duration.ofDays(1))).isEqualTo(11);
        assertThat(asked(Duration.ofDays(10))).isEqualTo(10);
    }

    @Test
    void aSizeThatTheCloudDoesNotSellIsAskedForAgainInADay() {
        find();
        answer();

        assertThat(find()).isEqualTo(new SizeAnswer.Untold("AWS offers no size of this name in the pool's region"));
        later(Duration.ofHours(24).minusSeconds(1));
        find();
        assertThat(calls).isEmpty();
        later(Duration.ofSeconds(1));
        find();
        assertThat(calls).hasSize(1);
    }

    @Test
    void aFaultOfOursIsAFailureLikeAnother() {
        cloud.sizesFail = new IllegalStateException("a bug");
        find();
        answer();

        assertThat(find())
                .isEqualTo(new SizeAnswer.Untold(
                        "AWS did not return this size: transient: unexpected: java.lang.IllegalStateException: a bug"));
    }

    @Test
    void simulatedMachinesHaveNoCloudToAsk() {
        assertThat(finder.find(KWOK, "p9.large")).isEmpty();
        assertThat(calls).isEmpty();
    }

    /** Returns the number of calls if rounds run every minute. */
    private int asked(Duration time) {
        int before = metered.size();
        for (var passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusMinutes(1)) {
            find();
            calls.forEach(Runnable::run);
            calls.clear();
            later(Duration.ofMinutes(1));
        }
        return metered.size() - before;
    }

    private SizeAnswer find() {
        return finder.find(AWS, "p9.large").orElseThrow();
    }

    private void answer() {
        assertThat(calls).hasSize(1);
        calls.remove(0).run();
    }

    private void later(Duration time) {
        nanos += time.toNanos();
    }
}
