package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.autoscaling.AutoScalingClient;
import software.amazon.awssdk.services.autoscaling.model.AutoScalingGroup;

/** The contract on moto, an independent implementation of AWS's protocol. moto has no stock-outs and no delays. */
@Tag("slow")
class MotoContractTest extends ProviderContract {

    private static final AtomicInteger EVER = new AtomicInteger();

    private static MotoServer moto;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        moto = MotoServer.start();
    }

    @AfterAll
    static void stop() {
        if (moto != null) {
            moto.close();
        }
    }

    @Override
    protected CloudStage open() {
        return new MotoStage("nodes-" + EVER.incrementAndGet());
    }

    /** moto returns AWS's own descriptions of types. GPU names are shorter there than on nodes, and GPU memory is only the usable part. */
    @ParameterizedTest
    @ValueSource(strings = {"m5.large", "p4d.24xlarge", "p5.48xlarge", "g4dn.12xlarge", "g5.xlarge"})
    void whatIsToldOfATypeOfTheTableIsWhatTheTableSays(String type) throws Exception {
        var ofTable = MachineSizes.builtIn().find(type).orElseThrow();
        MachineSize told;
        try (var calls = new AwsCalls(AwsStage.REGION, MotoStage.settings())) {
            told = calls.instanceType(type).orElseThrow();
        }
        assertThat(told).usingRecursiveComparison().ignoringFields("gpu").isEqualTo(ofTable);
        assertThat(told.gpu().product().isPresent()).isEqualTo(ofTable.gpus() > 0);
        told.gpu()
                .product()
                .ifPresent(product -> assertThat(
                                ofTable.gpu().product().orElseThrow().isA(product))
                        .isTrue());
        assertThat(told.gpu().memory().orElse(0)
                        / (double) ofTable.gpu().memory().orElse(1))
                .isBetween(ofTable.gpus() > 0 ? 0.9 : 0.0, 1.0);
    }

    @Test
    void aTypeThatIsNotSoldIsNone() throws Exception {
        try (var calls = new AwsCalls(AwsStage.REGION, MotoStage.settings())) {
            assertThat(calls.instanceType("p9.48xlarge")).isEmpty();
        }
    }

    private static final class MotoStage implements CloudStage {

        private final MovedClock clock = new MovedClock();
        private final String name;
        private final AwsClients clients = new AwsClients(AwsStage.REGION, settings());
        private AwsProvider provider = opened();

        MotoStage(String name) {
            this.name = name;
            aws().createLaunchConfiguration(request -> request.launchConfigurationName(name)
                    .imageId("ami-12c6146b")
                    .instanceType("t2.medium"));
            aws().createAutoScalingGroup(request -> request.autoScalingGroupName(name)
                    .launchConfigurationName(name)
                    .availabilityZones("eu-west-1a")
                    .minSize(0)
                    .maxSize(20)
                    .desiredCapacity(0));
        }

        private static AwsSettings settings() {
            return new AwsSettings(
                    Optional.of(moto.url()),
                    Optional.empty(),
                    StaticCredentialsProvider.create(
                            AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "x".repeat(40))),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(120),
                    Duration.ofMillis(1));
        }

        private AutoScalingClient aws() {
            return clients.writing();
        }

        private AwsProvider opened() {
            return new AwsProvider(clock, region -> new AwsCalls(region, settings()));
        }

        private AutoScalingGroup group() {
            return aws().describeAutoScalingGroups(request -> request.autoScalingGroupNames(name))
                    .autoScalingGroups()
                    .get(0);
        }

        @Override
        public Set<Ability> abilities() {
            return EnumSet.of(Ability.IS_RESIZED, Ability.IS_BOUNDED);
        }

        @Override
        public AwsProvider provider() {
            return provider;
        }

        @Override
        public Pool pool() {
            return AwsStage.pool("heavy-spot", name, true);
        }

        @Override
        public int target() {
            return group().desiredCapacity();
        }

        @Override
        public Set<String> machines() {
            return group().instances().stream()
                    .map(instance -> instance.instanceId())
                    .collect(Collectors.toSet());
        }

        @Override
        public void appear() {
            clock.move(AwsRegion.FRESH);
        }

        @Override
        public void settle() {
            appear();
        }

        @Override
        public void resize(int target) {
            aws().setDesiredCapacity(
                            request -> request.autoScalingGroupName(name).desiredCapacity(target));
            appear();
        }

        @Override
        public void bound(int least, int most) {
            aws().updateAutoScalingGroup(request ->
                    request.autoScalingGroupName(name).minSize(least).maxSize(most));
            appear();
        }

        @Override
        public void restart() {
            provider.close();
            provider = opened();
        }

        @Override
        public void close() {
            aws().deleteAutoScalingGroup(
                            request -> request.autoScalingGroupName(name).forceDelete(true));
            provider.close();
            clients.close();
        }
    }
}
