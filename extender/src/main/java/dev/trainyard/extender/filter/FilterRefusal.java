package dev.trainyard.extender.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.trainyard.core.gpu.GpuMismatch;

/**
 * The reason why a node is refused. Users see the number of nodes for each text, in a message that is cut at 1,024 characters. Each text is
 * short and names no object, so that equal reasons are counted together. Evicting pods never helps against these reasons, so the answer
 * asks the scheduler not to preempt pods.
 */
public enum FilterRefusal {
    REMOVING("node(s) being removed"),
    RECLAIM_ANNOUNCED("node(s) that the cloud will reclaim"),
    SICK("node(s) whose machine is broken"),
    OUTSIDE_TIER("node(s) of a pool outside the pod's tier"),
    NOT_LABELLED("node(s) that just joined and whose pool is not known yet"),
    KEPT_FOR_GPU_PODS("node(s) kept for pods that ask for GPUs"),
    GPUS_NOT_REPORTED("node(s) whose GPUs are not reported yet"),
    MALFORMED_WISH(GpuMismatch.MALFORMED_WISH),
    OTHER_PRODUCT(GpuMismatch.OTHER_PRODUCT),
    TOO_LITTLE_MEMORY(GpuMismatch.TOO_LITTLE_MEMORY),
    UNKNOWN_KIND(GpuMismatch.UNKNOWN_KIND);

    private final String reason;

    // An array, so that answers are written without copies. It is never changed.
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] quoted;

    FilterRefusal(String reason) {
        this.reason = reason;
        this.quoted = ("\"" + reason + "\"").getBytes(US_ASCII);
    }

    FilterRefusal(GpuMismatch mismatch) {
        this(mismatch.reason());
    }

    static FilterRefusal of(GpuMismatch mismatch) {
        return valueOf(mismatch.name());
    }

    public String reason() {
        return reason;
    }

    /** Returns the reason as JSON, in quotation marks. The caller must not change the array. */
    public byte[] quoted() {
        return quoted;
    }
}
