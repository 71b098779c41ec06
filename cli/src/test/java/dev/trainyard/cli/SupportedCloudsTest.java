package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudModule;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class SupportedCloudsTest {

    @Test
    void everyMemberOfAPoolsProviderHasAModuleExceptKwok() {
        var providers = CloudModule.openAll(SupportedClouds.ALL, true, Clock.systemUTC());

        assertThat(providers.keySet())
                .isSubsetOf(ProviderSpec.MEMBERS.split(", "))
                .hasSize(ProviderSpec.MEMBERS.split(", ").length - 1)
                .doesNotContain("kwok");
    }
}
