package dev.trainyard.scaler.offline;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.provider.FailureKind;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command {@code status} reports the scaler's decisions, from the objects of the API server alone. */
class SurveyTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).price("0.61").idleAfter("5m"))
            .pool("light-ondemand", onDemand(1).price("3.06").idleAfter("5m"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void tellsPoolsMachinesAndWhoWaits() {
        world.cloud.capacity.put("light-spot", 1);
        world.waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.waiting(1, "large", "light-gpu", "nvidia.com/gpu", "8");
        world.seconds(10);
        var early = standing();
        assertThat(early.pools().get(1)).satisfies(pool -> {
            assertThat(pool.name()).isEqualTo("light-spot");
            assertThat(pool.target()).isEqualTo(1);
            assertThat(pool.ready()).isZero();
            assertThat(pool.upcoming()).isEqualTo(1);
            assertThat(pool.backOff().kind()).isEqualTo("spot-capacity");
            assertThat(pool.backOff().secondsLeft()).isBetween(1L, 60L);
        });
        assertThat(early.waiting())
                .extracting(ClusterStatus.WaitingLine::pod)
                .containsExactly("team/large-1", "team/train-1", "team/train-2");
        assertThat(early.waiting().get(0).reason()).contains("asks for");
        assertThat(early.waiting().get(1).reason()).contains("provisioning");

        world.seconds(40);
        world.finishAllJobs();
        world.seconds(20);
        var late = standing();
        assertThat(late.machines()).hasSize(2).allSatisfy(machine -> {
            assertThat(machine.state()).isEqualTo("grace-period");
            assertThat(machine.idleSeconds()).isBetween(15L, 25L);
            assertThat(machine.pods()).isEmpty();
        });
        assertThat(late.pools()).extracting(ClusterStatus.PoolLine::idle).containsExactly(1, 1);
        assertThat(late.pools().get(0).costPerHour()).isEqualTo("3.06");
    }

    @Test
    void namesPodsThatNoPoolServesAlsoThoseOfOtherSchedulers() {
        world.waiting(1, "launcher", null, "ephemeral-storage", "50Gi");
        world.cluster.pods.values().forEach(pod -> pod.getSpec().setSchedulerName("default-scheduler"));
        world.seconds(10);

        assertThat(standing().waiting()).singleElement().satisfies(line -> {
            assertThat(line.pod()).isEqualTo("team/launcher-1");
            assertThat(line.reason())
                    .startsWith("the pod names no tier, and no pool can run it: asks for ephemeral-storage");
            assertThat(line.outcome()).isEqualTo("not-ours");
        });
    }

    /** The scaler's memory of a pod is not in the API server. */
    @Test
    void doesNotSayThatTheScalerAsksForAMachine() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(standing().waiting()).singleElement().satisfies(line -> {
            assertThat(line.outcome()).isEqualTo("growing");
            assertThat(line.reason()).contains("or an Event of the pod gives the reason");
        });
    }

    @Test
    void whatTheScalerCouldNotReadIsUnknownHereToo() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(40);
        world.cloud.unreadable.put("light-spot", FailureKind.AUTH);
        world.seconds(40);
        assertThat(standing().pools().get(1)).satisfies(pool -> {
            assertThat(pool.target()).isNull();
            assertThat(pool.upcoming()).isNull();
            assertThat(pool.costPerHour()).isNull();
            assertThat(pool.problem()).contains("auth: cannot tell");
        });
    }

    private ClusterStatus standing() {
        var pools = new HashMap<String, TrainingPoolSpec>();
        world.cluster.pools.forEach((name, pool) -> pools.put(name, pool.getSpec()));
        var tiers = new HashMap<String, TrainingTierSpec>();
        world.cluster.tiers.forEach((name, tier) -> tiers.put(name, tier.getSpec()));
        return Survey.of(
                world.clock.instant(),
                Catalogue.of(pools, tiers),
                world.cluster.pools.values(),
                new KubernetesObjects(
                        List.copyOf(world.cluster.pods.values()),
                        List.copyOf(world.cluster.nodes.values()),
                        List.of(),
                        List.of()),
                List.of());
    }
}
