package dev.trainyard.core.resource;

import java.util.List;
import java.util.Map;

/** The resources that Trainyard knows by name, and the old names that still mean them. */
public final class ResourceNames {

    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";
    public static final String PODS = "pods";

    /** Local disk for writable layers, logs and {@code emptyDir}. */
    public static final String EPHEMERAL_STORAGE = "ephemeral-storage";

    /** The beginning of the names of pre-allocated pages of memory, such as {@code hugepages-2Mi}. */
    public static final String HUGE_PAGES = "hugepages-";

    /** Whole GPUs, as NVIDIA's device plugin advertises them. */
    public static final String GPU = "nvidia.com/gpu";

    /**
     * Names under which GPUs were asked for before device plugins (removed in Kubernetes 1.11), which the manifests of that time
     * still use.
     */
    public static final Map<String, String> ALIASES = Map.of("alpha.kubernetes.io/nvidia-gpu", GPU);

    /** Beginnings of names by which device plugins advertise accelerators other than whole GPUs of NVIDIA. */
    private static final List<String> OTHER_ACCELERATORS = List.of(
            "nvidia.com/mig-",
            "nvidia.com/gpu.",
            "amd.com/gpu",
            "gpu.intel.com/",
            "habana.ai/gaudi",
            "google.com/tpu",
            "aws.amazon.com/neuron");

    private ResourceNames() {}

    /** Whether a resource is an accelerator that Trainyard completes no pod for: {@code docs/tiers.md} says what that means. */
    public static boolean isOtherAccelerator(String name) {
        return OTHER_ACCELERATORS.stream().anyMatch(name::startsWith);
    }

    /**
     * Whether a resource is one that a device plugin advertises, or somebody else beside the kubelet: an extended resource, in the words of
     * Kubernetes ({@code k8s.io/component-helpers/resource.IsExtendedResourceName}).
     */
    public static boolean isDevice(String name) {
        int slash = name.indexOf('/');
        var domain = slash < 0 ? "" : name.substring(0, slash);
        return slash > 0 && !domain.equals("kubernetes.io") && !domain.endsWith(".kubernetes.io");
    }

    /** The present-day name of {@code name}: the name itself unless it is an old one. */
    public static String canonical(String name) {
        return ALIASES.getOrDefault(name, name);
    }
}
