package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.scaler.kwok.KwokProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulated cloud on a real API server, with a clock that the test moves. */
@WithControlPlane
class KwokProviderIT {

    private final MovedClock clock = new MovedClock();
    private KubernetesClient client;
    private Namespace namespace;
    private KwokProvider cloud;

    @BeforeEach
    void open(KubernetesClient client, Namespace namespace) {
        this.client = client;
        this.namespace = namespace;
        cloud = open();
    }

    @AfterEach
    void deleteNodes() {
        client.nodes().list().getItems().stream()
                .filter(node -> String.valueOf(node.getSpec().getProviderID()).startsWith("kwok://"))
                .forEach(node -> client.resource(node).delete());
    }

    @Test
    void aMachineJoinsWithoutGpusAndShowsThemWhenItsDriverIsUp() throws Exception {
        var pool = pool("drivers", null);
        cloud.grow(pool, 0, 1);
        assertThat(cloud.read(pool).target()).isEqualTo(1);
        assertThat(cloud.read(pool).machines()).extracting(Machine::state).containsExactly(Machine.State.CREATING);

        clock.move(5);
        assertThat(cloud.read(pool).machines()).extracting(Machine::state).containsExactly(Machine.State.RUNNING);
        var joined = node(pool);
        assertThat(joined.getSpec().getProviderID()).isEqualTo("kwok://drivers/drivers-0001");
        assertThat(joined.getMetadata().getLabels())
                .containsEntry("gpu", "true")
                .containsEntry("trainyard.dev/pool", "drivers");
        assertThat(joined.getStatus().getAllocatable()).containsKey("cpu").doesNotContainKey("nvidia.com/gpu");
        TrainingGround.awaitTrue(
                "kwok makes the node ready",
                () -> node(pool).getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True")));

        clock.move(2);
        cloud.read(pool);
        assertThat(node(pool).getStatus().getAllocatable()).containsEntry("nvidia.com/gpu", new Quantity("1"));
        assertThat(node(pool).getStatus().getCapacity()).containsEntry("nvidia.com/gpu", new Quantity("1"));
    }

    @Test
    void anOrderBeyondItsCapacityIsAcceptedThenFails() throws Exception {
        var pool = pool("scarce", 1);
        cloud.grow(pool, 0, 3);
        assertThat(cloud.read(pool).target()).isEqualTo(3);
        assertThat(cloud.read(pool).failures()).isEmpty();

        clock.move(1);
        assertThat(cloud.read(pool).failures()).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.SPOT_CAPACITY);
            assertThat(failure.message()).contains("no capacity: 2 of the requested machines");
        });
        cloud.withdraw(pool, 3, 1);
        assertThat(cloud.read(pool).target()).isEqualTo(1);
        assertThat(cloud.read(pool).failures()).isEmpty();
        assertThat(cloud.read(pool).machines()).hasSize(1);
    }

    @Test
    void forgetsNothingWhenItsProcessDiesAndBuysNothingTwice() throws Exception {
        var pool = pool("restarted", null);
        cloud.grow(pool, 0, 2);
        clock.move(5);
        cloud = open();
        cloud.grow(pool, 0, 2);

        assertThat(cloud.read(pool).target()).isEqualTo(2);
        assertThat(cloud.read(pool).machines()).extracting(Machine::state).containsOnly(Machine.State.RUNNING);
        assertThat(nodes(pool)).hasSize(2);
    }

    @Test
    void refusesADecisionThatWasMadeOnAnotherSize() throws Exception {
        var pool = pool("raced", null);
        cloud.grow(pool, 0, 2);
        assertThatThrownBy(() -> cloud.grow(pool, 0, 5))
                .isInstanceOfSatisfying(
                        ProviderException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CONFLICT));
        assertThat(cloud.read(pool).target()).isEqualTo(2);
    }

    @Test
    void terminatesNamedMachinesAndLowersTheTarget() throws Exception {
        var pool = pool("shrunk", null);
        cloud.grow(pool, 0, 3);
        var second = cloud.read(pool).machines().get(1);
        cloud.terminate(pool, List.of(second));
        cloud.terminate(pool, List.of(second));
        assertThat(cloud.read(pool).target()).isEqualTo(2);
        assertThat(cloud.read(pool).machines()).extracting(Machine::id).containsExactly("shrunk-0001", "shrunk-0003");
    }

    private KwokProvider open() {
        return new KwokProvider(client, namespace.getMetadata().getName(), clock);
    }

    private Node node(Pool pool) {
        return nodes(pool).get(0);
    }

    private List<Node> nodes(Pool pool) {
        return client.nodes().list().getItems().stream()
                .filter(node -> node.getMetadata().getName().startsWith(pool.name() + "-"))
                .toList();
    }

    private static Pool pool(String name, Integer capacity) {
        var promise = new PromiseSpec(
                Map.of("gpu", "true"),
                null,
                Map.of("cpu", new Quantity("4"), "nvidia.com/gpu", new Quantity("1")),
                null,
                null);
        var provider = new ProviderSpec(null, null, null, new ProviderSpec.Kwok(capacity, "5s", "2s", "1s"));
        return Pool.of(
                name, new TrainingPoolSpec(provider, CapacityType.SPOT, null, null, null, promise, null, null, null));
    }

    /** A clock that moves only when the test moves it. */
    private static final class MovedClock extends Clock {
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        void move(long seconds) {
            now = now.plus(Duration.ofSeconds(seconds));
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
