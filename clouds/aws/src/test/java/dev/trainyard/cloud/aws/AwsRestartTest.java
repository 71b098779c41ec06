package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsPace;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A scaler that dies after AWS received its request. The next scaler has no memory of the request, but does not repeat it or lose its result. */
class AwsRestartTest {

    private static final String SPOT = "light-spot";
    private static final String ON_DEMAND = "light-ondemand";
    private static final int PODS = 6;

    private final MovedClock clock = new MovedClock();
    private final AwsEmulator aws = AwsEmulator.start(
            clock,
            new AwsPace(Duration.ofSeconds(3), Duration.ofSeconds(60), Duration.ofSeconds(20), Duration.ofSeconds(10)));
    private final EmulatedGroup spot = aws.group(SPOT);
    private final EmulatedGroup onDemand = aws.group(ON_DEMAND).onDemand();
    private final List<AwsProvider> providers = new ArrayList<>();
    /** The request after which the next scaler dies. */
    private Order deadly = Order.NONE;

    private final ScalerFixture world = new ScalerFixture(clock, this::clouds, aws::machines)
            .pool(SPOT, Objects.spot(1).max(20).idleAfter("20s"), group(SPOT), SPOT)
            .pool(ON_DEMAND, Objects.onDemand(1).max(20).idleAfter("20s"), group(ON_DEMAND), ON_DEMAND)
            .tier("light-gpu", SPOT, ON_DEMAND);

    private enum Order {
        NONE,
        GROW,
        WITHDRAW,
        TERMINATE
    }

    @AfterEach
    void close() {
        providers.forEach(AwsProvider::close);
        aws.close();
    }

    @Test
    void machinesThatWereOrderedAreNotOrderedAgain() {
        dies(Order.GROW, 10);
        assertThat(spot.desired()).isEqualTo(PODS);
        assertThat(spot.instances()).as("nothing shows of the order yet").isEmpty();
        world.seconds(60);

        assertThat(spot.everLaunched()).isEqualTo(PODS);
        assertThat(onDemand.everLaunched()).isZero();
        endsWithNothing();
    }

    @Test
    void anOrderThatAwsCannotFillIsKnownToHaveFailedAllTheSame() {
        spot.stock(2);
        dies(Order.GROW, 10);
        world.seconds(90);

        assertThat(spot.everLaunched()).isEqualTo(2);
        assertThat(onDemand.everLaunched()).isEqualTo(PODS - 2);
        endsWithNothing();
    }

    @Test
    void anOrderThatWasWithdrawnStaysWithdrawn() {
        spot.stock(2);
        dies(Order.WITHDRAW, 60);
        assertThat(spot.desired()).isLessThan(PODS);
        spot.stock(20);
        world.seconds(90);

        assertThat(spot.everLaunched() + onDemand.everLaunched()).isEqualTo(PODS);
        endsWithNothing();
    }

    @Test
    void machinesThatWereOrderedToGoAreNotOrderedToGoTwice() {
        train();
        world.seconds(60);
        world.finishAllJobs();
        deadly = Order.TERMINATE;
        world.restart();
        untilItDies(60);
        world.restart();
        world.seconds(90);

        assertThat(spot.desired()).as("not less than none").isZero();
        assertThat(aws.calls()).containsEntry("TerminateInstanceInAutoScalingGroup", PODS);
        assertThat(world.cluster.nodes).isEmpty();
    }

    /** Lets one scaler make the request and die, and another one take over. */
    private void dies(Order order, int seconds) {
        world.seconds(5);
        deadly = order;
        world.restart();
        train();
        untilItDies(seconds);
        world.restart();
    }

    private void untilItDies(int seconds) {
        assertThat(catchThrowable(() -> world.seconds(seconds))).isInstanceOf(ScalerFixture.Killed.class);
        deadly = Order.NONE;
    }

    private void train() {
        world.waiting(PODS, "train", "light-gpu", "nvidia.com/gpu", "1");
    }

    private void endsWithNothing() {
        assertThat(world.placed()).isEqualTo(PODS);
        world.finishAllJobs();
        world.seconds(90);
        assertThat(spot.desired() + onDemand.desired()).isZero();
        assertThat(world.cluster.nodes).isEmpty();
    }

    private Map<String, CloudProvider> clouds() {
        var provider = new AwsProvider(clock, region -> new AwsCalls(region, AwsStage.settings(aws)));
        providers.add(provider);
        return Map.of("awsAutoScalingGroup", new Mortal(provider, deadly));
    }

    private static ProviderSpec group(String name) {
        return new ProviderSpec(null, null, new AwsAutoScalingGroup(AwsEmulator.REGION, name, true), null);
    }

    /** A provider whose caller dies after a certain request. */
    private record Mortal(CloudProvider real, Order deadly) implements CloudProvider {

        @Override
        public PoolState read(Pool pool) throws ProviderException {
            return real.read(pool);
        }

        @Override
        public void grow(Pool pool, int from, int to) throws ProviderException {
            real.grow(pool, from, to);
            killed(Order.GROW);
        }

        @Override
        public void withdraw(Pool pool, int from, int to) throws ProviderException {
            real.withdraw(pool, from, to);
            killed(Order.WITHDRAW);
        }

        @Override
        public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
            real.terminate(pool, machines);
            killed(Order.TERMINATE);
        }

        private void killed(Order order) {
            if (order == deadly) {
                throw new ScalerFixture.Killed();
            }
        }

        @Override
        public PoolState tend(Pool pool, PoolState state) {
            return real.tend(pool, state);
        }

        @Override
        public CallLimits limits() {
            return real.limits();
        }

        @Override
        public int terminationsPerRequest() {
            return real.terminationsPerRequest();
        }

        @Override
        public Duration attention() {
            return real.attention();
        }
    }
}
