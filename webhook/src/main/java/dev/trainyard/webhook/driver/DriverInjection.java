package dev.trainyard.webhook.driver;

import com.fasterxml.jackson.core.JsonPointer;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.tier.Driver;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.MutationNotes;
import dev.trainyard.webhook.volume.Mounts;
import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.regex.Pattern;

/** The injection of the GPU driver into containers that request a GPU, in the driver mode of their tier. */
public final class DriverInjection {

    private static final JsonPointer RUNTIME_CLASS = JsonPointer.compile("/spec/runtimeClassName");
    private static final JsonPointer ANNOTATIONS = JsonPointer.compile("/metadata/annotations");

    /** The runtime classes that NVIDIA's GPU operator creates. */
    private static final Pattern RUNTIME_WITH_DRIVER = Pattern.compile("nvidia(-.*)?");

    private static final JsonPointer OS = JsonPointer.compile("/spec/os/name");

    /** The prefix of annotations that name a device of the Container Device Interface (CDI). CDI also injects the device's driver. */
    private static final String CDI_PREFIX = "cdi.k8s.io/";

    private DriverInjection() {}

    /**
     * Injects the driver into containers.
     *
     * @param containers the containers that request a GPU
     */
    public static void complete(
            Draft pod, List<Container> containers, Driver driver, NamespaceFacts namespace, MutationNotes notes) {
        if (containers.isEmpty()) {
            return;
        }
        if (driver.mode() != DriverMode.NONE && pod.at(OS).asText("").equals("windows")) {
            notes.reservation("no driver injected: this is a Windows pod");
            return;
        }
        switch (driver.mode()) {
            case NONE -> {}
            case LIBRARY_PATH -> setLibraryPath(pod, containers, notes);
            case HOST_PATH -> mount(pod, containers, driver, namespace, notes);
        }
    }

    private static void mount(
            Draft pod, List<Container> containers, Driver driver, NamespaceFacts namespace, MutationNotes notes) {
        var forbidding = namespace.levelThatForbidsHostPaths();
        if (forbidding.isPresent()) {
            // The API server would reject the pod because of the hostPath volumes. LD_LIBRARY_PATH is left out too:
            // without the mounts, it would only hide the image's own value.
            notes.reservation("no driver mounts: the namespace's Pod Security level %s forbids host paths"
                    .formatted(forbidding.get()));
            return;
        }
        int wanted = 0;
        int there = 0;
        for (var mount : HostMount.of(driver)) {
            for (var container : containers) {
                wanted++;
                there += Mounts.complete(pod, container, mount, notes) ? 1 : 0;
            }
        }
        if (there > 0) {
            notes.given((there == wanted ? "driver mounted from " : "driver partly mounted from ") + driver.root());
        }
        setLibraryPath(pod, containers, notes);
        if (there > 0) {
            warnOfOtherDriver(pod, notes);
        }
    }

    private static void setLibraryPath(Draft pod, List<Container> containers, MutationNotes notes) {
        int there = 0;
        for (var container : containers) {
            there += LibraryPath.complete(pod, container, notes) ? 1 : 0;
        }
        if (there > 0) {
            notes.given(LibraryPath.NAME + (there == containers.size() ? "" : " in some containers"));
        }
    }

    private static void warnOfOtherDriver(Draft pod, MutationNotes notes) {
        otherDriver(pod)
                .ifPresent(other -> notes.reservation(
                        "%s also provides a driver: the mounted driver is not needed, and versions may conflict"
                                .formatted(other)));
    }

    private static Optional<String> otherDriver(Draft pod) {
        var runtime = pod.at(RUNTIME_CLASS).asText("");
        if (RUNTIME_WITH_DRIVER.matcher(runtime).matches()) {
            return Optional.of("runtimeClassName " + runtime);
        }
        return pod.at(ANNOTATIONS).properties().stream()
                .map(Entry::getKey)
                .filter(name -> name.startsWith(CDI_PREFIX))
                .findFirst()
                .map(name -> "annotation " + UserText.shown(name));
    }
}
