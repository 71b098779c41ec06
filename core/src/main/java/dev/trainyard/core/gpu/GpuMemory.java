package dev.trainyard.core.gpu;

import dev.trainyard.core.resource.Quantities;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.math.BigDecimal;

/** Amounts of GPU memory, as people write and read them. */
final class GpuMemory {

    static final long MEBIBYTE = 1L << 20;

    /** No GPU has less; whoever writes less forgot the suffix, and means GiB. */
    private static final BigDecimal LEAST = BigDecimal.valueOf(MEBIBYTE);

    /** A PiB: no GPU has more. */
    private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

    private GpuMemory() {}

    /**
     * @return bytes
     * @throws IllegalArgumentException when {@code text} is not a Kubernetes quantity that a GPU may have
     */
    static long parse(String text) {
        var amount = Quantities.parse("GPU memory", text);
        if (amount.compareTo(LEAST) < 0 || amount.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("not an amount of GPU memory: " + text);
        }
        return amount.longValue();
    }

    static String format(long bytes) {
        return Resources.of(ResourceNames.MEMORY, bytes).toString().substring((ResourceNames.MEMORY + " ").length());
    }
}
