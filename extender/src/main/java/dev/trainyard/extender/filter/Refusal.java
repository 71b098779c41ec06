package dev.trainyard.extender.filter;

/**
 * Why a node is refused. Users see the reasons as a histogram over equal texts, cut at 1,024 characters, so each is short and
 * names no object. None can be cured by evicting pods, so the scheduler is told not to try.
 */
public enum Refusal {
    REMOVING("node(s) being removed"),
    OUTSIDE_TIER("node(s) of a pool outside the pod's tier"),
    KEPT_FOR_GPU_PODS("node(s) kept for pods that ask for GPUs"),
    GPUS_NOT_REPORTED("node(s) whose GPUs are not reported yet"),
    MALFORMED_WISH("node(s) refused, as the pod's trainyard.dev/gpu-* annotation is malformed"),
    OTHER_PRODUCT("node(s) without a GPU of the product asked for"),
    TOO_LITTLE_MEMORY("node(s) whose GPUs have less memory than asked for"),
    UNKNOWN_GPU("node(s) of which nobody stated the kind of GPU");

    private final String reason;

    Refusal(String reason) {
        this.reason = reason;
    }

    public String reason() {
        return reason;
    }
}
