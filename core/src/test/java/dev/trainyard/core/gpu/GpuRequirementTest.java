package dev.trainyard.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.trainyard.core.api.TrainingPoolSpec.GpuSpec;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuRequirementTest {

    private static final GpuKind V100 = kind("Tesla-V100-SXM2-16GB", "16384");

    @ParameterizedTest
    @CsvSource({
        "V100, Tesla-V100-SXM2-16GB, true",
        "v100, Tesla-V100-SXM2-16GB, true",
        "V100-SXM2, Tesla-V100-SXM2-16GB, true",
        "tesla v100, Tesla-V100-SXM2-16GB, true",
        "RTX 2080 Ti, NVIDIA-GeForce-RTX-2080-Ti, true",
        "A100, NVIDIA-RTX-A1000, false",
        "A1000, NVIDIA-A100-SXM4-80GB, false",
        "V10, Tesla-V100-SXM2-16GB, false",
        "V100-16GB, Tesla-V100-SXM2-16GB, false",
        "K80|V100, Tesla-V100-SXM2-16GB, true",
        " K80 | A100 , Tesla-V100-SXM2-16GB, false"
    })
    void aProductIsMetByWholeWordsInAnyCase(String wish, String product, boolean met) {
        assertThat(products(wish).isMetBy(kind(product, null))).isEqualTo(met);
        assertThat(products(wish).mayBeMetBy(kind(product, null))).isEqualTo(met);
    }

    @ParameterizedTest
    @CsvSource({"16Gi, true", "15Gi, true", "16384Mi, true", "16385Mi, false", "16G, true", "17.5G, false", "1e9, true"
    })
    void memoryIsTheLeastThatWillDo(String wish, boolean met) {
        assertThat(memory(wish).isMetBy(V100)).isEqualTo(met);
        assertThat(memory(wish).mayBeMetBy(V100)).isEqualTo(met);
    }

    @Test
    void bothPartsMustBeMet() {
        var both = GpuRequirement.of(Map.of("trainyard.dev/gpu-product", "V100", "trainyard.dev/gpu-memory", "32Gi"));

        assertThat(both.isMetBy(kind("Tesla-V100-SXM2-32GB", "32768"))).isTrue();
        assertThat(both.mayBeMetBy(V100)).isFalse();
        assertThat(both.mayBeMetBy(kind("NVIDIA-A100", "81920"))).isFalse();
    }

    @Test
    void whatIsNotKnownMayMeetAWishButIsNotSaidToMeetIt() {
        for (var wish : new GpuRequirement[] {products("V100"), memory("1Gi")}) {
            assertThat(wish.mayBeMetBy(GpuKind.UNKNOWN)).isTrue();
            assertThat(wish.isMetBy(GpuKind.UNKNOWN)).isFalse();
        }
        var both = GpuRequirement.of(Map.of("trainyard.dev/gpu-product", "V100", "trainyard.dev/gpu-memory", "32Gi"));
        assertThat(both.mayBeMetBy(kind("Tesla-V100", null))).isTrue();
        assertThat(both.mayBeMetBy(kind("Tesla-K80", null))).isFalse();
        assertThat(both.mayBeMetBy(kind(null, "16384"))).isFalse();
    }

    @Test
    void whoWishesForNothingTakesAll() {
        var none = GpuRequirement.of(
                Map.of("other", "x", "trainyard.dev/gpu-product", " ", "trainyard.dev/gpu-memory", ""));

        assertThat(none.isNone()).isTrue();
        assertThat(none.isMetBy(GpuKind.UNKNOWN)).isTrue();
        assertThat(none.isMetBy(V100)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"16GB", "16gi", "lots", "16", "0", "-16Gi", "1e999999999", "1e-999999999", "2Pi", "16 Gi"})
    void memoryThatNoGpuHasIsRefusedWithAnExample(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory(value))
                .withMessage(
                        "annotation trainyard.dev/gpu-memory: '%s' is not the memory of a GPU; expected the least memory"
                                + " of each GPU, such as 16Gi",
                        value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"V100,A100", "V100|", "|", "-", "\u201cV100\u201d", "V100||A100", "!A100"})
    void aProductThatIsNoNameIsRefusedWithAnExample(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> products(value))
                .withMessage(
                        "annotation trainyard.dev/gpu-product: '%s' does not name GPUs; expected one name, or several"
                                + " names separated by |, such as V100|A100",
                        value);
    }

    @Test
    void anEndlessValueIsRefusedAndNotRepeated() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> products("a|".repeat(100_000)))
                .withMessageContaining("is longer than 100 characters")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    @Test
    void isToldInTheWordsOfItsAnnotations() {
        var both = GpuRequirement.of(
                Map.of("trainyard.dev/gpu-product", "V100 | A100", "trainyard.dev/gpu-memory", "16Gi"));

        assertThat(both).hasToString("trainyard.dev/gpu-product V100|A100 and trainyard.dev/gpu-memory 16Gi");
        assertThat(both.parts()).hasToString("[trainyard.dev/gpu-product V100|A100, trainyard.dev/gpu-memory 16Gi]");
    }

    @Test
    void aPoolsOwnWordsCountBeforeItsLabels() {
        var labels = Map.of("nvidia.com/gpu.product", "Tesla-K80", "nvidia.com/gpu.memory", "11441");

        assertThat(GpuKind.promised(null, labels)).hasToString("Tesla-K80 with 11441Mi");
        assertThat(GpuKind.promised(new GpuSpec(null, "12Gi"), labels)).hasToString("Tesla-K80 with 12Gi");
        assertThat(GpuKind.promised(new GpuSpec("Tesla-P100", null), labels)).hasToString("Tesla-P100 with 11441Mi");
        assertThat(GpuKind.promised(null, Map.of())).isEqualTo(GpuKind.UNKNOWN);
    }

    @Test
    void aPromiseThatMakesNoSenseIsRefusedAndANodesLabelTellsNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GpuKind.promised(null, Map.of("nvidia.com/gpu.memory", "16Gi")))
                .withMessage(
                        "spec.promise.labels: nvidia.com/gpu.memory: '16Gi' is not a whole number of MiB, such as 16384");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GpuKind.promised(new GpuSpec(null, "16"), Map.of()))
                .withMessage("spec.promise.gpu.memory: '16' is not the memory of a GPU, such as 16Gi");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GpuKind.promised(new GpuSpec("--", null), Map.of()))
                .withMessage("spec.promise.gpu.product: '--' is not the name of a GPU, such as Tesla-V100-PCIE-16GB");
        for (var odd : new String[] {"16Gi", "", "-1", "0", "99999999999999999999"}) {
            assertThat(GpuKind.of(Map.of("nvidia.com/gpu.memory", odd, "nvidia.com/gpu.product", "_")))
                    .isEqualTo(GpuKind.UNKNOWN);
        }
    }

    private static GpuRequirement products(String value) {
        return GpuRequirement.of(Map.of("trainyard.dev/gpu-product", value));
    }

    private static GpuRequirement memory(String value) {
        return GpuRequirement.of(Map.of("trainyard.dev/gpu-memory", value));
    }

    private static GpuKind kind(@Nullable String product, @Nullable String mebibytes) {
        return new GpuKind(
                Optional.ofNullable(product).map(GpuProduct::of),
                mebibytes == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(mebibytes) << 20));
    }

    @Test
    void nothingMeetsAWishThatNobodyUnderstands() {
        var malformed = GpuRequirement.orMalformed(Map.of("trainyard.dev/gpu-memory", "plenty"));

        assertThat(malformed.isNone()).isFalse();
        assertThat(malformed.mayBeMetBy(GpuKind.UNKNOWN)).isFalse();
        assertThat(malformed.mismatch(V100)).contains(GpuMismatch.MALFORMED_WISH);
        assertThat(malformed.malformed().orElseThrow()).contains("'plenty' is not the memory of a GPU");
        assertThat(GpuRequirement.orMalformed(Map.of())).isEqualTo(GpuRequirement.NONE);
    }

    @Test
    void saysWhyAWishIsNotMet() {
        assertThat(products("K80").mismatch(V100)).contains(GpuMismatch.OTHER_PRODUCT);
        assertThat(memory("80Gi").mismatch(V100)).contains(GpuMismatch.TOO_LITTLE_MEMORY);
        assertThat(memory("80Gi").mismatch(GpuKind.UNKNOWN)).contains(GpuMismatch.UNKNOWN_KIND);
        assertThat(memory("1Gi").mismatch(V100)).isEmpty();
    }
}
