package dev.trainyard.extender.filter;

/**
 * Whether pods that ask for no GPU may take room on GPU nodes. A pod whose tier names a GPU node's pool may have it whatever is
 * said here: its tier says so, and the scaler would go on making machines for it otherwise.
 */
public enum CpuPodsOnGpuNodes {
    /** Not at all. */
    NEVER,
    /** Only while no other node is left. */
    LAST,
    /** As any other node. */
    ALWAYS
}
