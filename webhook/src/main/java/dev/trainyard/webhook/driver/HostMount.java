package dev.trainyard.webhook.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.tier.Driver;
import dev.trainyard.webhook.volume.ContainerPath;
import dev.trainyard.webhook.volume.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A part of the node's file system that containers with a GPU see, read-only.
 *
 * @param volume the preferred name of the volume
 * @param hostPath path on the node
 * @param mountPath path in the container
 * @param type what must exist at {@code hostPath}. On a node where it is missing, the pod does not start, and an Event reports this
 */
public record HostMount(String volume, String hostPath, String mountPath, Type type) implements Mount {

    /** The types of Kubernetes' {@code HostPathType} that are used here. */
    public enum Type {
        FILE("File"),
        DIRECTORY("Directory");

        private final String word;

        Type(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    private static final int LONGEST_NAME = 40;

    /** Returns the mounts of driver mode {@code hostPath}: the places where NVIDIA's images look. */
    public static List<HostMount> of(Driver driver) {
        var mounts = new ArrayList<HostMount>();
        mounts.add(new HostMount("bin", driver.root() + "/bin", Driver.PROGRAMS, Type.DIRECTORY));
        mounts.add(new HostMount("lib", driver.root(), Driver.LIBRARIES, Type.DIRECTORY));
        mounts.add(new HostMount("libcuda", Driver.LIBCUDA, Driver.LIBCUDA, Type.FILE));
        driver.extraLibraries().stream()
                .filter(file -> mounts.stream().noneMatch(mount -> mount.mountPath.equals(file)))
                .distinct()
                .forEach(file -> mounts.add(new HostMount(volumeName(file), file, file, Type.FILE)));
        return mounts;
    }

    @Override
    public String content() {
        return hostPath;
    }

    @Override
    public ObjectNode source() {
        var source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", hostPath).put("type", type.toString());
        return source;
    }

    @Override
    public boolean isIn(JsonNode volume, String directory) {
        var path = volume.path("hostPath").path("path").asText("");
        return !path.isEmpty() && hostPath.equals(ContainerPath.clean(path) + directory);
    }

    /**
     * Returns a name for the volume of {@code file}. The name must be a DNS label: {@code /usr/lib/libnvidia-ml.so.1} becomes
     * {@code libnvidia-ml-so-1}.
     */
    private static String volumeName(String file) {
        var label = file.substring(file.lastIndexOf('/') + 1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        var cut = label.substring(0, Math.min(label.length(), LONGEST_NAME)).replaceAll("-$", "");
        return cut.isEmpty() ? "library" : cut;
    }
}
