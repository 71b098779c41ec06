package dev.trainyard.webhook.driver;

import dev.trainyard.core.tier.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A part of the node's file system that containers with a GPU see, read-only.
 *
 * @param volume the name wanted for its volume
 * @param hostPath on the node
 * @param mountPath in the container
 * @param isFile a file; the pod does not start on a node without it
 */
record HostMount(String volume, String hostPath, String mountPath, boolean isFile) {

    private static final String LIBCUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
    private static final int LONGEST_NAME = 40;

    /** What driver mode {@code hostPath} mounts: the places that NVIDIA's images look at. */
    static List<HostMount> of(Driver driver) {
        var root = withoutTrailingSlash(driver.root());
        var mounts = new ArrayList<HostMount>();
        mounts.add(new HostMount("bin", root + "/bin", "/usr/local/nvidia/bin", false));
        mounts.add(new HostMount("lib", root, "/usr/lib/nvidia", false));
        mounts.add(new HostMount("libcuda", LIBCUDA, LIBCUDA, true));
        driver.extraLibraries().stream()
                .filter(file -> mounts.stream().noneMatch(mount -> mount.mountPath.equals(file)))
                .distinct()
                .forEach(file -> mounts.add(new HostMount(volumeName(file), file, file, true)));
        return mounts;
    }

    static String withoutTrailingSlash(String path) {
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /** A volume's name is a DNS label: {@code /usr/lib/libnvidia-ml.so.1} becomes {@code libnvidia-ml-so-1}. */
    private static String volumeName(String file) {
        var label = file.substring(file.lastIndexOf('/') + 1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        var cut = label.substring(0, Math.min(label.length(), LONGEST_NAME)).replaceAll("-$", "");
        return cut.isEmpty() ? "library" : cut;
    }
}
