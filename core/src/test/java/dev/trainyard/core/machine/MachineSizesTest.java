package dev.trainyard.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MachineSizesTest {

    private static final MachineSizes BUILT_IN = MachineSizes.builtIn();
    private static final long GIBIBYTE = 1L << 30;

    static Stream<MachineSize> all() {
        return BUILT_IN.names().stream().map(name -> BUILT_IN.find(name).orElseThrow());
    }

    @ParameterizedTest
    @MethodSource("all")
    void everySizeMakesSense(MachineSize size) {
        boolean azure = size.name().startsWith("Standard_");
        assertThat(size.cloud()).isEqualTo(azure ? Cloud.AZURE : Cloud.AWS);
        assertThat(size.name())
                .matches(azure ? "Standard_[A-Z]+[0-9a-z]+(_[A-Z0-9]+)?(_v[0-9])?" : "[a-z0-9-]+\\.[a-z0-9]+");
        assertThat(size.cpus()).isBetween(1, 192);
        assertThat((double) size.memory() / GIBIBYTE / size.cpus())
                .as("GiB for each CPU")
                .isBetween(0.5, 32.0);
        assertThat(size.gpus()).isIn(0, 1, 2, 4, 8, 16);
        assertThat(size.pods()).isBetween(4, 110);
        assertThat(size.gpu().product().isPresent()).isEqualTo(size.gpus() > 0);
        assertThat(size.gpu().memory().isPresent()).isEqualTo(size.gpus() > 0);
        size.gpu().memory().ifPresent(memory -> assertThat(memory / GIBIBYTE).isBetween(4L, 192L));
        assertThat(size.gpus() > 0).as("GPUs").isEqualTo(size.name().matches("Standard_N.*|(p|g|gr)[0-9].*"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void someOfEveryMachineIsLeftToPodsButNotAll(MachineSize size) {
        var left = size.allocatable();
        assertThat(left.get("cpu")).isBetween(size.cpus() * 900L, size.cpus() * 1000L - 60);
        assertThat(left.get("memory")).isBetween(size.memory() / 2, (long) (size.memory() * 0.925));
        assertThat(left.gpus()).isEqualTo(size.gpus());
        assertThat(left.get("pods")).isEqualTo(size.pods());
    }

    /** Machine sizes from the articles that Trainyard is based on. */
    @ParameterizedTest
    @CsvSource({
        "Standard_D2_v2, 2, 7, 0, ''",
        "Standard_NC6, 6, 56, 1, K80",
        "Standard_NC24, 24, 224, 4, K80",
        "Standard_NC6s_v3, 6, 112, 1, V100",
        "Standard_ND96asr_v4, 96, 900, 8, A100",
        "Standard_NC40ads_H100_v5, 40, 320, 1, H100",
        "g2.2xlarge, 8, 15, 1, K520",
        "t2.medium, 2, 4, 0, ''",
        "p2.xlarge, 4, 61, 1, K80",
        "p4d.24xlarge, 96, 1152, 8, A100",
        "p5.48xlarge, 192, 2048, 8, H100",
    })
    void knowsTheSize(String name, int cpus, long gibibytes, int gpus, String product) {
        var size = BUILT_IN.find(name).orElseThrow();
        assertThat(size.cpus()).isEqualTo(cpus);
        assertThat(size.memory()).isEqualTo(gibibytes * GIBIBYTE);
        assertThat(size.gpus()).isEqualTo(gpus);
        assertThat(size.gpu().product().map(Object::toString).orElse("")).contains(product);
    }

    @Test
    void findsASizeInAnyCase() {
        assertThat(BUILT_IN.find("STANDARD_nc6S_V3")).isEqualTo(BUILT_IN.find("Standard_NC6s_v3"));
        assertThat(BUILT_IN.names())
                .allMatch(name -> BUILT_IN.find(name.toUpperCase(Locale.ROOT)).isPresent());
    }

    /** The published examples: AKS' table for 2 CPUs; AKS' 8 GB machine with 30 pods, which reserves 650 MB and 100 MiB; EKS' t2.medium. */
    @Test
    void keepsWhatTheCloudsSayThatTheyKeep() {
        var azure = new MachineSize(Cloud.AZURE, "of 8 GiB", 2, 8 * GIBIBYTE, 0, GpuKind.UNKNOWN, 30);
        assertThat(azure.allocatable())
                .isEqualTo(Resources.of(Map.of(
                        "cpu",
                        1900L,
                        "memory",
                        wholeMebibytes(8 * GIBIBYTE * 0.925 - 650_000_000 - (100L << 20)),
                        "pods",
                        30L)));

        var aws = BUILT_IN.find("t2.medium").orElseThrow();
        assertThat(aws.allocatable())
                .isEqualTo(Resources.of(Map.of(
                        "cpu", 1930L,
                        "memory", wholeMebibytes(4 * GIBIBYTE * 0.925 - ((255 + 11 * 17 + 100L) << 20)),
                        "pods", 17L)));
    }

    private static long wholeMebibytes(double bytes) {
        return (long) bytes >> 20 << 20;
    }

    @ParameterizedTest
    @CsvSource({"1, 60", "2, 100", "4, 140", "6, 160", "8, 180", "16, 260", "24, 340", "32, 420", "64, 740", "96, 1060"
    })
    void aksKeepsMoreCpuOnLargerMachines(int cpus, int millicores) {
        var size = new MachineSize(Cloud.AZURE, "x", cpus, GIBIBYTE, 0, GpuKind.UNKNOWN, 30);
        assertThat(Reservation.millicores(size)).isEqualTo(millicores);
    }

    @ParameterizedTest
    @CsvSource({"1, 60", "2, 70", "4, 80", "8, 90", "36, 160", "96, 310"})
    void eksKeepsMoreCpuOnLargerMachines(int cpus, int millicores) {
        var size = new MachineSize(Cloud.AWS, "x", cpus, GIBIBYTE, 0, GpuKind.UNKNOWN, 30);
        assertThat(Reservation.millicores(size)).isEqualTo(millicores);
    }

    /** The memory that nodes of the original clusters reported. The estimate must not exceed it. */
    @ParameterizedTest
    @CsvSource({
        "Standard_D2_v2, 7096762368",
        "Standard_NC6, 59087724544",
        "Standard_NC12, 114688000000",
        "t2.medium, 4143996928",
    })
    void promisesNoMoreThanWasMeasured(String name, long measured) {
        assertThat(BUILT_IN.find(name).orElseThrow().allocatable().get("memory"))
                .isLessThan(measured);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NC6            | Standard_NC6",
                "standard_nc6s  | Standard_NC6",
                "Standard-NC6s-v4 | Standard_NC6s_v2, Standard_NC6s_v3",
                "p3.2xlrage     | p3.2xlarge",
                "p4d.48xlarge   | p4d.24xlarge",
            })
    void tellsWhatMayHaveBeenMeant(String name, String near) {
        assertThat(SizeNames.near(name, BUILT_IN)).contains(near.split(", ")).hasSizeLessThan(5);
    }

    @Test
    void tellsNothingForWhatIsNearNothing() {
        assertThat(SizeNames.near("n1-standard-4", BUILT_IN)).isEmpty();
    }

    @Test
    void aLineThatMakesNoSenseIsNamed() {
        assertThatThrownBy(() -> SizeTable.parse(List.of("aws,x,2,4"))).hasMessageContaining("aws,x,2,4: 4 columns");
        assertThatThrownBy(() -> SizeTable.parse(List.of("aws,x,two,4,0,,,17"))).hasMessageContaining("aws,x,two");
        assertThatThrownBy(() -> SizeTable.parse(List.of("aws,x,0,4,0,,,17"))).hasMessageContaining("aws,x,0,4");
        assertThatThrownBy(() -> SizeTable.parse(List.of("aws,x,2,4,0,,,17", "aws,X,2,4,0,,,17")))
                .hasMessageContaining("this name occurs twice");
    }
}
