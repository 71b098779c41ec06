package dev.trainyard.scaler.kwok;

import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderContract;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

class KwokContractTest extends ProviderContract {

    @Override
    protected CloudStage open() throws IOException {
        return new KwokStage();
    }

    private static final class KwokStage implements CloudStage {

        private static final String NAMESPACE = "trainyard-system";

        private final MovedClock clock = new MovedClock();
        private final ObjectServer server = new ObjectServer();
        private final KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                        .withMasterUrl(server.url())
                        .build())
                .build();
        private KwokProvider provider = new KwokProvider(client, NAMESPACE, clock);
        private Integer stock;

        KwokStage() throws IOException {}

        @Override
        public Set<Ability> abilities() {
            return EnumSet.of(
                    Ability.RUNS_OUT,
                    Ability.REMEMBERS_FAILURES,
                    Ability.MAKES_SLOWLY,
                    Ability.IS_RESIZED,
                    Ability.LOSES_ANSWERS);
        }

        @Override
        public CloudProvider provider() {
            return provider;
        }

        @Override
        public Pool pool() {
            return Pool.of(
                    "heavy-spot",
                    Objects.spot(1)
                            .max(20)
                            .kwok(new Kwok(stock, "5s", "0s", "1s"))
                            .spec());
        }

        @Override
        public int target() {
            return book().target();
        }

        @Override
        public Set<String> machines() {
            return book().machines().stream().map(machine -> machine.id()).collect(Collectors.toSet());
        }

        @Override
        public void appear() {}

        @Override
        public void settle() {
            clock.move(Duration.ofSeconds(10));
            book();
        }

        @Override
        public void stock(int machines) {
            stock = machines;
        }

        @Override
        public void resize(int target) {
            try {
                new KwokProvider(client, NAMESPACE, clock).grow(pool(), target(), target);
            } catch (ProviderException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void loseAnswer() {
            server.loseAnswer();
        }

        @Override
        public void restart() {
            provider.close();
            provider = new KwokProvider(client, NAMESPACE, clock);
        }

        @Override
        public void close() {
            provider.close();
            client.close();
            server.close();
        }

        private PoolState book() {
            try (var eyes = new KwokProvider(client, NAMESPACE, clock)) {
                return eyes.read(pool());
            } catch (ProviderException e) {
                throw new AssertionError(e);
            }
        }
    }
}
