package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.Unreadable;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnapshotReaderTest {

    private final Yard yard = new Yard()
            .pool("good", onDemand(1))
            .tier("good", "good")
            .waiting(1, "train", "good", "nvidia.com/gpu", "1");

    @Test
    void aPodWithoutATimeIsReportedAndStopsNoOther() {
        yard.waiting(1, "odd", "good", "nvidia.com/gpu", "1");
        yard.pods.get(1).getMetadata().setCreationTimestamp(null);

        assertThat(yard.snapshot().unreadable()).extracting(Unreadable::name).containsExactly("odd-1");
        goesOn();
    }

    @Test
    void aNodeWithoutATimeStaysAndIsReported() {
        yard.node("odd", "good").nodes.get(0).getMetadata().setCreationTimestamp(null);

        assertThat(yard.snapshot().nodes().get(0).exempt()).isPresent();
        assertThat(yard.snapshot().unreadable()).extracting(Unreadable::name).containsExactly("odd");
        goesOn();
    }

    @Test
    void aPoolWhoseTimeoutIsBeyondAllTimeStopsNoOther() {
        yard.pool("odd", spot(1).provisionTimeout("99999999999999h"))
                .cloud(
                        "odd",
                        2,
                        Yard.machine("odd", "m1", State.RUNNING, Objects.NOON),
                        Yard.machine("odd", "m2", State.CREATING, Objects.NOON));
        goesOn();
    }

    @Test
    void aPoolThatCannotBeReckonedWithCountsAsUnread() {
        yard.pool("odd", spot(1)).cloudFails("odd", 1, FailureKind.QUOTA, "over quota");
        var endless = new BackOff(Instant.MAX, FailureKind.THROTTLED, "asked too often", 1);
        yard.ledgers.put(
                "odd", new PoolLedger(Optional.of(endless), Instant.EPOCH, Optional.empty(), Optional.empty()));

        assertThat(yard.snapshot().pools().get("odd").problem().orElse("")).contains("cannot be reckoned with");
        goesOn();
    }

    private void goesOn() {
        assertThat(Planner.plan(yard.snapshot()).growths())
                .extracting(growth -> growth.pool().name())
                .containsExactly("good");
    }
}
