package dev.trainyard.core.pod;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the resources that a pod takes from its node. The amount is the sum of the requests of containers and sidecars, or the peak
 * during the start of the pod if the peak is higher. Requests of the pod as a whole replace this amount. The pod's overhead and one unit of
 * the resource {@code pods} are added.
 *
 * <p>The rules are those of {@code k8s.io/component-helpers/resource.PodRequests}, with the defaults that API servers fill in
 * ({@code pkg/apis/core/v1/defaults.go}). The rules also cover pods that are resized while they run. One rule differs. The scheduler adds
 * up fractions of the smallest unit and rounds up the sum; this class rounds up the amount of each container.
 */
final class RequestReader {

    private static final String ALWAYS = "Always";
    private static final String REQUESTS = "resources.requests";
    private static final String LIMITS = "resources.limits";

    private final boolean resizeInfeasible;
    private final Map<String, ContainerStatus> statuses = new HashMap<>();
    private final Pod pod;

    private RequestReader(Pod pod) {
        this.pod = pod;
        var status = Optional.ofNullable(pod.getStatus());
        this.resizeInfeasible = status.map(PodStatus::getConditions).orElse(List.of()).stream()
                .anyMatch(condition ->
                        "PodResizePending".equals(condition.getType()) && "Infeasible".equals(condition.getReason()));
        status.map(PodStatus::getContainerStatuses).orElse(List.of()).forEach(this::remember);
        status.map(PodStatus::getInitContainerStatuses).orElse(List.of()).forEach(this::remember);
    }

    /** @throws IllegalArgumentException if a quantity is invalid; the message names the resource */
    static Resources requests(Pod pod) {
        return new RequestReader(pod).read();
    }

    private void remember(ContainerStatus status) {
        if (status.getName() != null && status.getResources() != null) {
            statuses.put(status.getName(), status);
        }
    }

    private Resources read() {
        var spec = pod.getSpec();
        var running = Resources.NONE;
        for (var container : orEmpty(spec.getContainers())) {
            running = running.plus(requests("container", container, true));
        }
        var sidecars = Resources.NONE;
        var starting = Resources.NONE;
        for (var container : orEmpty(spec.getInitContainers())) {
            if (ALWAYS.equals(container.getRestartPolicy())) {
                sidecars = sidecars.plus(requests("init container", container, true));
                starting = starting.max(sidecars);
            } else {
                starting = starting.max(sidecars.plus(requests("init container", container, false)));
            }
        }
        return ofWholePod(running.plus(sidecars).max(starting))
                .plus(Resources.parse("spec.overhead", spec.getOverhead()))
                .plus(Resources.of(ResourceNames.PODS, 1));
    }

    /**
     * Returns the requests of a container. A limit without a request counts as a request, as in the API server's defaults. Other limits are
     * ignored.
     */
    private Resources requests(String kind, Container container, boolean mayBeResized) {
        var place = "%s '%s': ".formatted(kind, container.getName());
        var resources = container.getResources();
        var asked = Resources.NONE;
        if (resources != null) {
            asked = Resources.parse(place + REQUESTS, resources.getRequests())
                    .plus(Resources.parse(place + LIMITS, unnamed(resources.getRequests(), resources.getLimits())));
        }
        var status = mayBeResized ? statuses.get(container.getName()) : null;
        return status == null ? asked : effective(place, asked, status.getResources(), status.getAllocatedResources());
    }

    /**
     * Returns the amount that the scheduler uses while a running pod is resized: the maximum of the requested, allocated and active amounts.
     * The requested amount is ignored if the resize is infeasible on the node.
     */
    private Resources effective(
            String place, Resources asked, ResourceRequirements inForce, @Nullable Map<String, Quantity> allocated) {
        var now = Resources.parse(place + "status " + REQUESTS, inForce.getRequests())
                .max(Resources.parse(place + "status allocatedResources", allocated));
        return resizeInfeasible ? now : now.max(asked);
    }

    /** Applies the requests of the pod as a whole, which Kubernetes 1.34 and later allow for some resources. */
    private Resources ofWholePod(Resources ofContainers) {
        var resources = pod.getSpec().getResources();
        if (resources == null) {
            return ofContainers;
        }
        var asked = Resources.parse("spec." + REQUESTS, supported(resources.getRequests()));
        var limits = supported(resources.getLimits());
        if (!limits.isEmpty()) {
            var unnamed = unnamed(resources.getRequests(), limits);
            unnamed.keySet().removeAll(ofContainers.asMap().keySet());
            asked = asked.plus(unnamed(resources.getRequests(), supported(ofContainers)))
                    .plus(Resources.parse("spec." + LIMITS, unnamed));
        }
        var status = pod.getStatus();
        if (!asked.isEmpty() && status != null && status.getResources() != null) {
            asked = supported(effective("", asked, status.getResources(), status.getAllocatedResources()));
        }
        return asked.plus(without(asked.asMap().keySet(), ofContainers));
    }

    /** Returns the entries of {@code amounts} that {@code list} does not name. A name with a zero amount counts as named. */
    private static Map<String, Quantity> unnamed(
            @Nullable Map<String, Quantity> list, @Nullable Map<String, Quantity> amounts) {
        var unnamed = new TreeMap<String, Quantity>(amounts == null ? Map.of() : amounts);
        if (list != null) {
            var named = canonical(list.keySet());
            unnamed.keySet().removeIf(name -> named.contains(ResourceNames.canonical(name)));
        }
        return unnamed;
    }

    private static Resources unnamed(@Nullable Map<String, Quantity> list, Resources resources) {
        return list == null ? resources : without(canonical(list.keySet()), resources);
    }

    private static Set<String> canonical(Set<String> names) {
        return names.stream().map(ResourceNames::canonical).collect(Collectors.toSet());
    }

    private static Resources without(Set<String> names, Resources resources) {
        var amounts = new TreeMap<>(resources.asMap());
        amounts.keySet().removeAll(names);
        return Resources.of(amounts);
    }

    private static Resources supported(Resources resources) {
        var amounts = new TreeMap<>(resources.asMap());
        amounts.keySet().removeIf(name -> !isSupported(name));
        return Resources.of(amounts);
    }

    private static Map<String, Quantity> supported(@Nullable Map<String, Quantity> list) {
        var amounts = new TreeMap<String, Quantity>(list == null ? Map.of() : list);
        amounts.keySet().removeIf(name -> !isSupported(name));
        return amounts;
    }

    /** Whether a pod as a whole may request the resource. */
    private static boolean isSupported(String name) {
        return name.equals(ResourceNames.CPU) || name.equals(ResourceNames.MEMORY) || name.startsWith("hugepages-");
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
