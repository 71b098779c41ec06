package dev.trainyard.core.resource;

import java.util.List;
import java.util.Map;

/** The resources that Trainyard knows by name, and their old names. */
public final class ResourceNames {

    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";
    public static final String PODS = "pods";

    /** Local disk for writable layers, logs and {@code emptyDir}. */
    public static final String EPHEMERAL_STORAGE = "ephemeral-storage";

    /** The prefix of the names of huge pages, such as {@code hugepages-2Mi}. */
    public static final String HUGE_PAGES = "hugepages-";

    /** Whole GPUs, as NVIDIA's device plugin advertises them. */
    public static final String GPU = "nvidia.com/gpu";

    /** The current names, by old name. Kubernetes 1.11 removed the old name of GPUs, but old manifests still use that name. */
    public static final Map<String, String> ALIASES = Map.of("alpha.kubernetes.io/nvidia-gpu", GPU);

    /** Prefixes of the resource names of accelerators other than whole NVIDIA GPUs. */
    private static final List<String> OTHER_ACCELERATORS = List.of(
            "nvidia.com/mig-",
            "nvidia.com/gpu.",
            "amd.com/gpu",
            "gpu.intel.com/",
            "habana.ai/gaudi",
            "google.com/tpu",
            "aws.amazon.com/neuron");

    private ResourceNames() {}

    /** Whether a resource is an accelerator for which Trainyard injects no driver. See {@code docs/tiers.md}. */
    public static boolean isOtherAccelerator(String name) {
        return OTHER_ACCELERATORS.stream().anyMatch(name::startsWith);
    }

    /**
     * Whether a resource is an extended resource, as in {@code k8s.io/component-helpers/resource.IsExtendedResourceName}. Device plugins
     * and similar components advertise extended resources; the kubelet itself has none.
     */
    public static boolean isDevice(String name) {
        int slash = name.indexOf('/');
        var domain = slash < 0 ? "" : name.substring(0, slash);
        return slash > 0 && !domain.equals("kubernetes.io") && !domain.endsWith(".kubernetes.io");
    }

    /** Returns the current name of a resource: {@code name} itself unless it is an old name. */
    public static String canonical(String name) {
        return ALIASES.getOrDefault(name, name);
    }
}
