package dev.trainyard.local.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.binaries.BinariesUnavailableException;
import dev.trainyard.local.binaries.Binary;
import dev.trainyard.local.binaries.KubernetesVersion;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class WithoutBinariesTest {
    private final BinariesUnavailableException problem =
            new BinariesUnavailableException(KubernetesVersion.CURRENT, EnumSet.allOf(Binary.class), List.of());

    @Test
    void skipsOnAnOrdinaryMachine() {
        assertThat(WithoutBinaries.outcome(problem, Map.of()))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining(problem.getMessage());
    }

    @Test
    void failsWhereTestsMustRun() {
        assertThat(WithoutBinaries.outcome(problem, Map.of("CI", "true"))).isSameAs(problem);
    }
}
