package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Regions of one cloud have separate budgets. */
class CallerTest {

    private static final String KIND = "awsAutoScalingGroup";
    private static final Pool IRELAND = pool("ireland", "eu-west-1");
    private static final Pool OHIO = pool("ohio", "us-east-2");

    private final ScriptedCloud cloud = new ScriptedCloud();
    private final List<String> waited = new ArrayList<>();
    private final CallMeter meter = new CallMeter() {
        @Override
        public void called(String provider, String operation, String result, Duration took) {}

        @Override
        public void waited(String provider, String operation, Duration wait) {
            waited.add(operation);
        }
    };

    @Test
    void aRegionThatIsAskedTooOftenLeavesAnotherItsBudget() throws ProviderException {
        cloud.limits = new CallLimits(1, 2, 1, 2);
        var caller = new Caller(Map.of(KIND, cloud), meter, () -> 5, pause -> {});
        for (int i = 0; i < 3; i++) {
            caller.call(IRELAND, "read", provider -> provider.read(IRELAND));
        }
        assertThat(waited).as("the third, of a burst of two").containsExactly("read");

        caller.call(OHIO, "read", provider -> provider.read(OHIO));
        assertThat(waited).hasSize(1);
    }

    @Test
    void aRegionThatHangsHasTheThreadsOfNoOther() {
        Set<String> apis = new TreeSet<>();
        var clouds = new Clouds(
                Map.of(KIND, cloud),
                meter,
                (api, call) -> apis.add(api),
                new Clouds.Timing(Duration.ZERO, Duration.ofSeconds(30)),
                Clock.systemUTC(),
                () -> 5,
                pause -> {},
                () -> {});

        clouds.read(List.of(IRELAND, OHIO));

        assertThat(apis).containsExactly(KIND + " eu-west-1", KIND + " us-east-2");
    }

    private static Pool pool(String name, String region) {
        return Pool.of(
                name, Objects.spot(1).spec(new ProviderSpec(null, null, new AwsAutoScalingGroup(region, name), null)));
    }
}
