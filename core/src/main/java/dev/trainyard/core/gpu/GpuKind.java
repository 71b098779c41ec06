package dev.trainyard.core.gpu;

import dev.trainyard.core.api.TrainingPoolSpec.GpuSpec;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about a machine's kind of GPU. Immutable.
 *
 * @param memory memory of each GPU, in bytes
 */
public record GpuKind(Optional<GpuProduct> product, OptionalLong memory) {

    public static final GpuKind UNKNOWN = new GpuKind(Optional.empty(), OptionalLong.empty());

    /** The label with the product's name that NVIDIA's GPU feature discovery puts on nodes. */
    public static final String PRODUCT_LABEL = "nvidia.com/gpu.product";

    /** The label with the memory of each GPU, in MiB, that NVIDIA's GPU feature discovery puts on nodes. */
    public static final String MEMORY_LABEL = "nvidia.com/gpu.memory";

    /** The most digits of an accepted number of MiB. With this limit, the number of bytes fits in a long. */
    private static final int MOST_DIGITS = 9;

    /** Returns the kind that a node's labels state. Invalid labels are ignored. */
    public static GpuKind of(Map<String, String> labels) {
        return new GpuKind(product(labels.get(PRODUCT_LABEL)), mebibytes(labels.get(MEMORY_LABEL)));
    }

    /**
     * Returns the kind of GPU that a pool promises. The explicit settings of the pool override its promised labels.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    public static GpuKind promised(@Nullable GpuSpec spec, Map<String, String> labels) {
        var byLabels = of(labels);
        var label = labels.get(MEMORY_LABEL);
        if (label != null && byLabels.memory.isEmpty()) {
            throw new IllegalArgumentException(
                    "spec.promise.labels: %s: '%s' is not a whole number of MiB, such as 16384"
                            .formatted(MEMORY_LABEL, label));
        }
        if (spec == null) {
            return byLabels;
        }
        return new GpuKind(
                spec.product() == null ? byLabels.product : Optional.of(promisedProduct(spec.product())),
                spec.memory() == null ? byLabels.memory : OptionalLong.of(promisedMemory(spec.memory())));
    }

    /** Returns this kind, with missing facts taken from {@code other}. */
    public GpuKind orElse(GpuKind other) {
        return new GpuKind(product.or(other::product), memory.isPresent() ? memory : other.memory);
    }

    private static GpuProduct promisedProduct(String name) {
        return product(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "spec.promise.gpu.product: '%s' is not the name of a GPU, such as Tesla-V100-PCIE-16GB"
                                .formatted(name)));
    }

    private static long promisedMemory(String text) {
        try {
            return GpuMemory.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "spec.promise.gpu.memory: '%s' is not the memory of a GPU, such as 16Gi".formatted(text));
        }
    }

    private static Optional<GpuProduct> product(@Nullable String name) {
        try {
            return Optional.ofNullable(name).map(GpuProduct::of);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static OptionalLong mebibytes(@Nullable String number) {
        boolean isNumber = number != null
                && !number.isEmpty()
                && number.length() <= MOST_DIGITS
                && number.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        long mebibytes = isNumber ? Long.parseLong(number) : 0;
        return mebibytes == 0 ? OptionalLong.empty() : OptionalLong.of(mebibytes * GpuMemory.MEBIBYTE);
    }

    /** Returns a text for people: {@code Tesla-V100-PCIE-16GB with 16Gi}. */
    @Override
    public String toString() {
        var name = product.map(GpuProduct::name).orElse("GPUs");
        if (memory.isPresent()) {
            return name + " with " + GpuMemory.format(memory.getAsLong());
        }
        return product.isPresent() ? name : "GPUs of an unstated kind";
    }
}
