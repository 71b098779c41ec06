package dev.trainyard.core.gpu;

/** Why a node's GPUs are not such as a pod wishes for. */
public enum GpuMismatch {
    MALFORMED_WISH("node(s) refused, as the pod's trainyard.dev/gpu-* annotation is malformed"),
    OTHER_PRODUCT("node(s) without a GPU of the product asked for"),
    TOO_LITTLE_MEMORY("node(s) whose GPUs have less memory than asked for"),
    UNKNOWN_KIND("node(s) of which nobody stated the kind of GPU");

    private final String reason;

    GpuMismatch(String reason) {
        this.reason = reason;
    }

    /** In words for users, constant, as kube-scheduler's own reasons are. */
    public String reason() {
        return reason;
    }
}
