package dev.trainyard.core.gpu;

import dev.trainyard.core.resource.Quantities;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.math.BigDecimal;

/** A parser and a formatter for amounts of GPU memory. */
final class GpuMemory {

    static final long MEBIBYTE = 1L << 20;

    /** The least accepted memory, 1 MiB. A smaller amount most likely lacks its suffix, such as {@code 16} instead of {@code 16Gi}. */
    private static final BigDecimal LEAST = BigDecimal.valueOf(MEBIBYTE);

    /** The most accepted memory, 1 PiB. No GPU has more. */
    private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

    private GpuMemory() {}

    /**
     * Parses an amount of GPU memory.
     *
     * @return bytes
     * @throws IllegalArgumentException if {@code text} is not a Kubernetes quantity from 1 MiB to 1 PiB
     */
    static long parse(String text) {
        var amount = Quantities.parse("GPU memory", text);
        if (amount.compareTo(LEAST) < 0 || amount.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("expected GPU memory from 1Mi to 1Pi, but found " + text);
        }
        return amount.longValue();
    }

    static String format(long bytes) {
        return Resources.of(ResourceNames.MEMORY, bytes).toString().substring((ResourceNames.MEMORY + " ").length());
    }
}
