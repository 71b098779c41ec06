package dev.trainyard.core.gpu;

/** A reason why a node's GPUs do not satisfy a pod's GPU request. */
public enum GpuMismatch {
    MALFORMED_WISH("node(s) refused because the pod's trainyard.dev/gpu-* annotation is malformed"),
    OTHER_PRODUCT("node(s) without a GPU of the requested product"),
    TOO_LITTLE_MEMORY("node(s) whose GPUs have less memory than requested"),
    UNKNOWN_KIND("node(s) with an unknown kind of GPU");

    private final String reason;

    GpuMismatch(String reason) {
        this.reason = reason;
    }

    /** Returns a constant text for users, in the style of kube-scheduler's own reasons. */
    public String reason() {
        return reason;
    }
}
