package dev.trainyard.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.MachineStatus;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ReportedSizesTest {

    private static final MachineSize P9 = new MachineSize(
            Cloud.AWS,
            "p9.48xlarge",
            192,
            2048L << 30,
            8,
            new GpuKind(Optional.of(GpuProduct.of("B900")), OptionalLong.of(192L << 30)),
            100);
    private static final TrainingPoolSpec POOL = pool("p9.48xlarge");

    @Test
    void whatIsWrittenIntoAStatusIsReadFromIt() {
        assertThat(read(ReportedSizes.write(P9))).contains(P9);

        var withoutGpus = new MachineSize(Cloud.AWS, "m9.large", 2, 8L << 30, 0, GpuKind.UNKNOWN, 29);
        assertThat(read(ReportedSizes.write(withoutGpus))).contains(withoutGpus);
    }

    @Test
    void aStatusThatMakesNoSenseTellsNothing() {
        assertThat(read(new MachineStatus("p9.48xlarge", 0, 1024, 0, null, null, 10)))
                .isEmpty();
        assertThat(read(new MachineStatus("p9.48xlarge", 4, Long.MAX_VALUE, 0, null, null, 10)))
                .isEmpty();
        assertThat(read(new MachineStatus("p9.48xlarge", 4, 1024, 1, "-", null, 10)))
                .isEmpty();
        assertThat(ReportedSizes.read(POOL, null)).isEmpty();
        assertThat(ReportedSizes.read(POOL, TrainingPoolStatus.UNKNOWN)).isEmpty();
    }

    @Test
    void aPoolOfASizeThatWasToldCanBeUsed() {
        var catalogue = Catalogue.of(Map.of("p", POOL), Map.of(), List.of(), ReportedSizes.of(List.of(P9)));

        assertThat(catalogue.problems()).isEmpty();
        assertThat(catalogue.pools().values()).singleElement().satisfies(pool -> {
            assertThat(pool.promisedGpus()).isEqualTo(8);
            assertThat(pool.gpu()).isEqualTo(P9.gpu());
            assertThat(pool.promise().allocatable()).isEqualTo(P9.allocatable());
        });
    }

    @Test
    void theTableGoesFirstAndNamesOfBothAreNear() {
        var lie = new MachineSize(Cloud.AWS, "p3.2xlarge", 1, 1 << 30, 0, GpuKind.UNKNOWN, 1);
        var sizes = ReportedSizes.of(List.of(lie, P9));

        assertThat(sizes.find("p3.2xlarge")).isEqualTo(MachineSizes.builtIn().find("p3.2xlarge"));
        assertThat(sizes.find("P9.48XLARGE")).contains(P9);
        assertThat(SizeNames.near("p9.48xlarg", sizes)).contains("p9.48xlarge");
    }

    private static Optional<MachineSize> read(MachineStatus machine) {
        return ReportedSizes.read(
                POOL, new TrainingPoolStatus(null, null, null, null, null, null, null, machine, null, null, null));
    }

    private static TrainingPoolSpec pool(String instanceType) {
        var provider = new ProviderSpec(null, null, new ProviderSpec.AwsAutoScalingGroup("eu-west-1", "group"), null);
        var promise = new PromiseSpec(null, null, null, instanceType, null);
        return new TrainingPoolSpec(provider, CapacityType.SPOT, 0, 4, null, promise, null, null, null);
    }
}
