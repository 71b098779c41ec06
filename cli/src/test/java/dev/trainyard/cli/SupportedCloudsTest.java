package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudModule;
import java.time.Clock;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class SupportedCloudsTest {

    @Test
    void everyMemberOfAPoolsProviderHasAModuleExceptKwok() {
        var providers = CloudModule.openAll(SupportedClouds.ALL, true, Clock.systemUTC());

        var expected = new ArrayList<>(ProviderSpec.MEMBERS);
        expected.remove("kwok");
        assertThat(providers.keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }
}
