package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Functions that read the components of Trainyard from Deployments. */
final class ComponentDeployments {

    private static final String EXTENDER = "extender";

    /** The names of the containers that run this executable. */
    private static final Set<String> OURS = Set.of("webhook", EXTENDER, "scaler");

    private ComponentDeployments() {}

    static List<Container> containers(Deployment deployment) {
        var spec = deployment.getSpec().getTemplate().getSpec();
        var containers = new ArrayList<Container>();
        containers.addAll(Optional.ofNullable(spec.getInitContainers()).orElse(List.of()));
        containers.addAll(Optional.ofNullable(spec.getContainers()).orElse(List.of()));
        return containers;
    }

    static boolean isOurs(Container container) {
        return OURS.contains(container.getName());
    }

    /** Whether Trainyard's scheduler is installed, and no Deployment runs the extender. False if the Deployments are unknown. */
    static boolean haveNoExtender(ReadResult<List<Deployment>> deployments) {
        var found = deployments.value().orElse(List.of());
        return found.stream()
                        .anyMatch(
                                deployment -> deployment.getMetadata().getName().equals(Names.SCHEDULER))
                && found.stream()
                        .flatMap(deployment -> containers(deployment).stream())
                        .noneMatch(container -> container.getName().equals(EXTENDER));
    }

    /** Returns the value of {@code --name=value} of a Trainyard container; empty if none has the flag. */
    static Optional<String> flag(Deployment deployment, String name) {
        return containers(deployment).stream()
                .filter(ComponentDeployments::isOurs)
                .flatMap(container -> flag(container, name).stream())
                .findFirst();
    }

    /** Returns the value of {@code --name=value}; empty if the flag is missing. */
    static Optional<String> flag(Container container, String name) {
        return Stream.ofNullable(container.getArgs())
                .flatMap(List::stream)
                .filter(argument -> argument.startsWith(name + "="))
                .map(argument -> argument.substring(name.length() + 1))
                .findFirst();
    }

    /** Returns the image's tag; empty if the image has a digest or no tag. */
    static String tag(Container container) {
        var image = Optional.ofNullable(container.getImage()).orElse("");
        if (image.contains("@")) {
            return "";
        }
        int colon = image.lastIndexOf(':');
        return colon < 0 || image.indexOf('/', colon) >= 0 ? "" : image.substring(colon + 1);
    }

    static int wanted(Deployment deployment) {
        return Optional.ofNullable(deployment.getSpec().getReplicas()).orElse(1);
    }

    static int ready(Deployment deployment) {
        return Optional.ofNullable(deployment.getStatus())
                .map(status -> status.getReadyReplicas())
                .orElse(0);
    }

    static String object(Deployment deployment) {
        return "Deployment %s/%s"
                .formatted(
                        deployment.getMetadata().getNamespace(),
                        deployment.getMetadata().getName());
    }
}
