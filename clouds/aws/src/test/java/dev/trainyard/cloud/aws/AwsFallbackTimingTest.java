package dev.trainyard.cloud.aws;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.scaler.FallbackTiming;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.CloudProvider;
import java.time.Duration;
import java.util.Map;

class AwsFallbackTimingTest extends FallbackTiming {

    private static final String SPOT = "light-spot";
    private static final String ON_DEMAND = "light-ondemand";

    @Override
    protected Stage open(Duration failing) {
        return new Groups(failing);
    }

    private static final class Groups implements Stage {

        private final MovedClock clock = new MovedClock();
        private final AwsEmulator aws;
        private final AwsProvider provider;

        Groups(Duration failing) {
            aws = AwsEmulator.start(
                    clock, new AwsPace(failing, Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofSeconds(30)));
            aws.group(SPOT).stock(0);
            aws.group(ON_DEMAND).onDemand();
            provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
        }

        @Override
        public MovedClock clock() {
            return clock;
        }

        @Override
        public Map<String, CloudProvider> providers() {
            return Map.of("awsAutoScalingGroup", provider);
        }

        @Override
        public TrainingPoolSpec spot() {
            return group(SPOT, Objects.spot(1));
        }

        @Override
        public TrainingPoolSpec onDemand() {
            return group(ON_DEMAND, Objects.onDemand(1));
        }

        private static TrainingPoolSpec group(String name, Objects.PoolBuilder like) {
            return like.max(20)
                    .spec(new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsEmulator.REGION, name, true), null));
        }

        @Override
        public int spotTarget() {
            return aws.group(SPOT).desired();
        }

        @Override
        public int onDemandTarget() {
            return aws.group(ON_DEMAND).desired();
        }

        @Override
        public void close() {
            provider.close();
            aws.close();
        }
    }
}
