package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.scaler.provider.Bounds;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Machines in standby. They belong to the pool, but not to desired capacity: "EnterStandby" in the API reference of Auto Scaling. */
class AwsStandbyTest {

    private AwsStage stage;

    @BeforeEach
    void open() throws ProviderException {
        stage = new AwsStage();
        stage.group.protectNew(true).resize(2);
        stage.settle();
        read();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void whoIsAskedForOneMoreMakesOneMore() throws Exception {
        firstStandsBy();
        stage.resize(1);
        assertThat(read().target()).isEqualTo(2);
        stage.provider().grow(stage.pool(), 2, 3);
        stage.settle();
        assertThat(stage.group.everLaunched()).isEqualTo(3);
        assertThat(stage.target()).isEqualTo(2);
        assertThat(read().target()).isEqualTo(3);
        assertThat(read().unfilled()).isZero();
    }

    @Test
    void oneThatIsToBeReplacedIsOwed() throws Exception {
        firstStandsBy();
        stage.group.stock(1);
        stage.settle();
        assertThat(read().unfilled()).isEqualTo(1);
        assertThat(read().failures()).as("the stock-out").hasSize(1);
    }

    @Test
    void whatWillNotComeIsWithdrawn() throws Exception {
        firstStandsBy();
        stage.group.stock(1);
        stage.settle();
        stage.provider().withdraw(stage.pool(), 3, 2);
        assertThat(stage.target()).isEqualTo(1);
        assertThat(stage.machines()).hasSize(2);
        assertThat(read().unfilled()).isZero();
    }

    @Test
    void boundsAreOfAllMachines() throws Exception {
        firstStandsBy();
        stage.bound(1, 4);
        assertThat(read().bounds()).isEqualTo(new Bounds(2, 5));
        assertThatThrownBy(() -> stage.provider().grow(stage.pool(), 3, 6))
                .hasMessageContaining(
                        "MaxSize of Auto Scaling group heavy-spot.example.com is 4, fewer than 5 machines");
        stage.provider().grow(stage.pool(), 3, 5);
        assertThat(stage.target()).isEqualTo(4);
    }

    private void firstStandsBy() {
        stage.clock.move(AwsRegion.FRESH);
        stage.group.instances().get(0).become("Standby", stage.clock.instant());
    }

    private PoolState read() throws ProviderException {
        return stage.provider().read(stage.pool());
    }
}
