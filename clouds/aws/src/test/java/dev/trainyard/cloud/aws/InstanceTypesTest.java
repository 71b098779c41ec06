package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.SoldType;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Instance types as AWS describes them. */
class InstanceTypesTest {

    private static final SoldType P9 = new SoldType(
            "p9.48xlarge", 192, 2048 << 10, List.of(new SoldType.Gpu("NVIDIA", "B900", 8, 192 << 10)), 64, 50);

    private final AwsStage stage = new AwsStage();

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void aTypeIsReadWithItsGpusAndTheAddressesOfItsPods() throws Exception {
        stage.aws.sell(P9);

        assertThat(size("P9.48xlarge"))
                .contains(new MachineSize(Cloud.AWS, "p9.48xlarge", 192, 2048L << 30, 8, gpu("B900", 192), 110));
    }

    /** AWS's description and our table must agree on a type that both have. */
    @Test
    void whatIsToldOfATypeOfTheTableIsWhatTheTableSays() throws Exception {
        stage.aws.sell(new SoldType(
                "p3.2xlarge", 8, 61 << 10, List.of(new SoldType.Gpu("NVIDIA", "V100", 1, 16 << 10)), 4, 15));
        var ofTable = MachineSizes.builtIn().find("p3.2xlarge").orElseThrow();

        assertThat(size("p3.2xlarge").orElseThrow())
                .usingRecursiveComparison()
                .ignoringFields("gpu.product")
                .isEqualTo(ofTable);
        assertThat(ofTable.gpu().product().orElseThrow().isA(GpuProduct.of("V100")))
                .isTrue();
    }

    @Test
    void graphicsCardsOfOthersAreNoGpusToKubernetes() throws Exception {
        stage.aws.sell(
                new SoldType("g9ad.xlarge", 4, 16 << 10, List.of(new SoldType.Gpu("AMD", "Radeon", 1, 8192)), 2, 4));

        assertThat(size("g9ad.xlarge"))
                .contains(new MachineSize(Cloud.AWS, "g9ad.xlarge", 4, 16L << 30, 0, GpuKind.UNKNOWN, 8));
    }

    @Test
    void ofGpusThatAreNotAlikeOnlyTheNumberIsTaken() throws Exception {
        stage.aws.sell(new SoldType(
                "x9.large",
                4,
                16 << 10,
                List.of(new SoldType.Gpu("NVIDIA", "B900", 1, 8192), new SoldType.Gpu("NVIDIA", "L900", 2, 4096)),
                2,
                4));

        assertThat(size("x9.large"))
                .contains(new MachineSize(Cloud.AWS, "x9.large", 4, 16L << 30, 3, GpuKind.UNKNOWN, 8));
    }

    @Test
    void aTypeOfWhichNotAllIsToldIsNotTakenForASmallOne() {
        stage.aws.sell(new SoldType(P9.name(), 0, P9.memoryMiB(), P9.gpus(), 64, 50));

        assertThatThrownBy(() -> size("p9.48xlarge"))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("VCpuInfo.DefaultVCpus is missing");
    }

    @Test
    void aTypeIsAskedForOnceInADayForAllPoolsOfARegion() throws Exception {
        stage.aws.sell(P9);
        assertThat(size("p9.48xlarge")).isPresent();
        assertThat(stage.provider().size(AwsStage.pool("other", "other", null).provider(), "p9.48xlarge"))
                .isPresent();
        assertThat(size("p9.96xlarge")).as("is not sold").isEmpty();
        assertThat(size("p9.96xlarge")).isEmpty();
        assertThat(asked()).isEqualTo(2);

        stage.clock.move(Duration.ofDays(1));
        stage.aws.sell(new SoldType("p9.96xlarge", 384, 4096 << 10, P9.gpus(), 64, 50));
        assertThat(size("p9.96xlarge")).isPresent();
        assertThat(asked()).isEqualTo(3);
    }

    @Test
    void aRefusalNamesTheRightThatIsMissingAndIsNotKept() throws Exception {
        stage.aws.sell(P9);
        var words =
                "You are not authorized to perform this operation. User: arn:aws:iam::1:user/u is not authorized to perform: ec2:DescribeInstanceTypes";
        stage.strike(AwsFault.error(403, "UnauthorizedOperation", words));

        assertThatThrownBy(() -> size("p9.48xlarge")).isInstanceOfSatisfying(ProviderException.class, problem -> {
            assertThat(problem.kind()).isEqualTo(FailureKind.AUTH);
            assertThat(problem.words())
                    .endsWith("allow ec2:DescribeInstanceTypes, as manifests/aws/iam-policy.json does");
        });
        stage.clearFaults();
        assertThat(size("p9.48xlarge")).isPresent();
    }

    private int asked() {
        return stage.aws.calls().getOrDefault("DescribeInstanceTypes", 0);
    }

    private static GpuKind gpu(String product, long gibibytes) {
        return new GpuKind(Optional.of(GpuProduct.of(product)), OptionalLong.of(gibibytes << 30));
    }

    private Optional<MachineSize> size(String type) throws ProviderException {
        return stage.provider().size(stage.pool().provider(), type);
    }
}
