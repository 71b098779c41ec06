package dev.trainyard.scaler.kwok;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.scaler.kwok.SimulatedCloud.SimulatedMachine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedCloudTest {

    private static final KwokSettings SETTINGS =
            new KwokSettings(3, Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofSeconds(1));

    @Test
    void acceptsMoreThanItHas() {
        var cloud = SimulatedCloud.EMPTY.order("spot", 5, 3, 0);
        assertThat(cloud.target()).isEqualTo(5);
        assertThat(cloud.machines())
                .extracting(SimulatedMachine::id)
                .containsExactly("spot-0001", "spot-0002", "spot-0003");
    }

    @Test
    void withdrawsOnlyWhatCannotBeFilled() {
        var cloud = SimulatedCloud.EMPTY
                .order("spot", 2, 3, 0)
                .order("spot", 3, 3, 1)
                .order("spot", 2, 3, 2);
        assertThat(cloud.target()).isEqualTo(7);
        assertThat(cloud.withdraw(4).target()).isEqualTo(4);
        assertThat(cloud.withdraw(3).target()).isEqualTo(3);
        assertThat(cloud.withdraw(3).machines()).hasSize(3);
        assertThat(cloud.withdraw(0).machines()).as("machines stay").hasSize(3);
    }

    @Test
    void neverGivesANameTwice() {
        var cloud = SimulatedCloud.EMPTY.order("spot", 2, 3, 0).without(List.of("spot-0001", "spot-0002"));
        assertThat(cloud.target()).isZero();
        assertThat(cloud.order("spot", 1, 3, 0).machines())
                .extracting(SimulatedMachine::id)
                .containsExactly("spot-0003");
    }

    @Test
    void machinesJoinAfterTheBootDelayAndCompleteAfterTheDriverDelay() {
        var ordered = SimulatedCloud.EMPTY.order("spot", 1, 3, 1000);
        assertThat(ordered.hasSomethingDue(5999, SETTINGS)).isFalse();
        assertThat(ordered.hasSomethingDue(6000, SETTINGS)).isTrue();
        var joined = ordered.mapMachines(machine -> machine.join(6100, false));
        assertThat(joined.hasSomethingDue(8099, SETTINGS)).isFalse();
        assertThat(joined.hasSomethingDue(8100, SETTINGS)).isTrue();
        assertThat(joined.mapMachines(SimulatedMachine::completed).hasSomethingDue(99999, SETTINGS))
                .isFalse();
    }

    @Test
    void survivesBeingWrittenAndRead() throws Exception {
        var cloud = SimulatedCloud.EMPTY.order("spot", 5, 3, 1000).mapMachines(machine -> machine.join(7000, true));
        var json = new ObjectMapper();
        assertThat(json.readValue(json.writeValueAsString(cloud), SimulatedCloud.class))
                .isEqualTo(cloud);
        assertThat(json.readValue(json.writeValueAsString(SimulatedCloud.EMPTY), SimulatedCloud.class))
                .isEqualTo(SimulatedCloud.EMPTY);
    }
}
