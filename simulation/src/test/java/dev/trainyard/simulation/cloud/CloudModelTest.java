package dev.trainyard.simulation.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import dev.trainyard.simulation.cluster.SmallWorld;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.cluster.World.Setting;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of a cloud's answers. Machines boot in 60 s and are deleted in 30 s. */
class CloudModelTest {

    private final VirtualTime time = new VirtualTime(SmallWorld.START);

    @Test
    void listsAreBehindWithWhatComesAndGoesButNotWithTheTarget() throws ProviderException {
        var world = world(new Behaviour.Answers(Duration.ofSeconds(20), 1000));
        var pool = pool(world);
        world.cloud().grow(pool, 0, 1);
        pass(Duration.ofSeconds(21));
        assertThat(world.cloud().machines("gpu")).isEqualTo(1);
        assertThat(world.cloud().read(pool).target()).isEqualTo(1);
        assertThat(world.cloud().read(pool).machines()).isEmpty();

        pass(Duration.ofSeconds(42));
        var listed = world.cloud().read(pool).machines();
        assertThat(listed).extracting(Machine::state).containsExactly(Machine.State.RUNNING);

        world.cloud().terminate(pool, listed);
        pass(Duration.ofSeconds(49));
        assertThat(world.cloud().machines("gpu")).isZero();
        assertThat(world.cloud().read(pool).target()).isZero();
        assertThat(world.cloud().read(pool).machines())
                .extracting(Machine::state)
                .containsExactly(Machine.State.DELETING);

        pass(Duration.ofSeconds(1));
        assertThat(world.cloud().read(pool).machines()).isEmpty();
    }

    @Test
    void whatComesTooOftenIsRefusedUntilTheBucketHasFilledAgain() throws ProviderException {
        var world = world(new Behaviour.Answers(Duration.ZERO, 2));
        var pool = pool(world);
        world.cloud().read(pool);
        world.cloud().grow(pool, 0, 1);

        assertThatThrownBy(() -> world.cloud().read(pool))
                .isInstanceOfSatisfying(
                        ProviderException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.THROTTLED))
                .hasMessage("pool gpu has had its 2 calls in a minute");
        pass(Duration.ofSeconds(30));
        assertThat(world.cloud().read(pool).target()).isEqualTo(1);
        assertThatThrownBy(() -> world.cloud().read(pool)).isInstanceOf(ProviderException.class);
    }

    @Test
    void lifecycleHookHoldsMachineUntilItIsTerminatedOrTheTimeoutIsOver() throws ProviderException {
        var world = world(Behaviour.Group.AUTO_SCALING_GROUP, Behaviour.Answers.PROMPT);
        var pool = pool(world);
        world.cloud().grow(pool, 0, 2);
        pass(Duration.ofSeconds(70));
        var machines = world.cloud().read(pool).machines();
        for (var machine : machines) {
            assertThat(world.cloud().hold(pool, machine.id(), Duration.ofMinutes(10)))
                    .isTrue();
        }
        assertThat(world.cloud().hold(pool, machines.get(0).id(), Duration.ofMinutes(10)))
                .isFalse();
        pass(Duration.ofSeconds(70));

        assertThat(world.cloud().read(pool).target()).isEqualTo(2);
        assertThat(world.cloud().read(pool).machines())
                .extracting(Machine::state)
                .containsExactly(Machine.State.HELD, Machine.State.HELD, Machine.State.RUNNING, Machine.State.RUNNING);
        assertThat(world.lives(machines.get(0).id())).isTrue();
        assertThat(world.cloud().isHeld(machines.get(0).id(), Duration.ZERO)).isTrue();

        world.cloud().terminate(pool, machines.subList(0, 1));
        pass(Duration.ofSeconds(30));
        assertThat(world.cloud().read(pool).target()).isEqualTo(2);
        assertThat(world.cloud().read(pool).machines()).hasSize(3);
        assertThat(world.cloud().isHeld(machines.get(0).id(), Duration.ofSeconds(30)))
                .isFalse();
        assertThat(world.cloud().isHeld(machines.get(0).id(), Duration.ofSeconds(31)))
                .isTrue();
        pass(Duration.ofMinutes(10));
        assertThat(world.cloud().isHeld(machines.get(1).id(), Duration.ZERO)).isFalse();
        assertThat(world.cloud().isHeld(machines.get(1).id(), Duration.ofMinutes(10)))
                .isTrue();
        assertThat(world.cloud().read(pool).machines())
                .extracting(Machine::state)
                .containsExactly(Machine.State.RUNNING, Machine.State.RUNNING);
    }

    private void pass(Duration passes) {
        time.passTo(time.nanos() + passes.toNanos());
    }

    private static Pool pool(World world) {
        return world.catalogue().pools().get("gpu");
    }

    private World world(Behaviour.Answers answers) {
        return world(Behaviour.Group.SCALE_SET, answers);
    }

    /** Returns a cluster without a scaler. */
    private World world(Behaviour.Group group, Behaviour.Answers answers) {
        var boot = Duration.ofSeconds(60);
        var behaviour = new Behaviour(
                group,
                10,
                boot,
                boot,
                Duration.ZERO,
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                Optional.empty(),
                Duration.ZERO,
                false,
                answers);
        return new World(
                new Setting(
                        SmallWorld.START,
                        List.of(SmallWorld.pool("gpu", "on-demand", 3, "1")),
                        List.of(SmallWorld.tier("gpu", "gpu")),
                        new Workload(List.of()),
                        of -> behaviour,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        1),
                time,
                new Disturbance() {
                    @Override
                    public boolean lacks(SimulatedComponent component) {
                        return component == SimulatedComponent.SCALER;
                    }
                });
    }
}
