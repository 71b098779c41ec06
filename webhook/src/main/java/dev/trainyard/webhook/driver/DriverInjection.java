package dev.trainyard.webhook.driver;

import dev.trainyard.core.tier.Driver;
import dev.trainyard.webhook.namespace.NamespaceFacts;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.Notes;
import java.nio.file.Path;
import java.util.List;

/** Lets containers that ask for a GPU get at its driver, in the way of their tier. */
public final class DriverInjection {

    private DriverInjection() {}

    /** @param containers those that ask for a GPU */
    public static void complete(
            Draft pod, List<Container> containers, Driver driver, NamespaceFacts namespace, Notes notes) {
        if (containers.isEmpty()) {
            return;
        }
        switch (driver.mode()) {
            case NONE -> {}
            case LIBRARY_PATH -> {
                containers.forEach(container -> LibraryPath.complete(pod, container, notes));
                notes.given(LibraryPath.NAME);
            }
            case HOST_PATH -> mount(pod, containers, driver, namespace, notes);
        }
    }

    private static void mount(
            Draft pod, List<Container> containers, Driver driver, NamespaceFacts namespace, Notes notes) {
        var forbidding = namespace.levelThatForbidsHostPaths();
        if (forbidding.isPresent()) {
            // The pod would be rejected for the volume. Without the mounts the variable would only hide the image's
            // own.
            notes.withheld("no driver mounts: the namespace's Pod Security level %s forbids host paths"
                    .formatted(forbidding.get()));
            return;
        }
        for (var mount : HostMount.of(driver)) {
            if (isUsable(mount.hostPath())) {
                containers.forEach(container -> HostMounts.complete(pod, container, mount, notes));
            } else {
                notes.withheld("'%s' of the tier's driver was not mounted: not an absolute path without '..' or ':'"
                        .formatted(mount.hostPath()));
            }
        }
        containers.forEach(container -> LibraryPath.complete(pod, container, notes));
        notes.given("driver mounted from " + driver.root());
        notes.given(LibraryPath.NAME);
    }

    /** What the API server's validation takes as a path on the node and in the container. */
    private static boolean isUsable(String path) {
        return path.startsWith("/")
                && !path.contains(":")
                && Path.of(path).normalize().equals(Path.of(path))
                && path.length() > 1;
    }
}
