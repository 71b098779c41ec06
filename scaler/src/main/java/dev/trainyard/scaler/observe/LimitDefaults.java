package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.LimitRangeItem;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The default requests that LimitRanges add to containers without requests of their own. The admission plugin {@code LimitRanger} adds
 * these requests when a pod is created. So the template of a DaemonSet does not show them. The rules come from
 * {@code plugin/pkg/admission/limitranger} in kubernetes/kubernetes. LimitRanges from files lack the defaults that the API server fills in.
 * So the rules of {@code SetDefaults_LimitRangeItem} are applied too.
 */
public final class LimitDefaults {

    private LimitDefaults() {}

    /**
     * Adds to each DaemonSet's template the default requests that its pods will get on admission. A DaemonSet that gets no additions or is
     * malformed is returned unchanged.
     */
    public static List<DaemonSet> admitted(List<DaemonSet> sets, Collection<LimitRange> ranges) {
        var defaults = ranges.stream()
                .filter(range -> range.getSpec() != null)
                .collect(Collectors.groupingBy(
                        range -> String.valueOf(range.getMetadata().getNamespace()),
                        Collectors.flatMapping(LimitDefaults::items, Collectors.toList())));
        return sets.stream()
                .map(set -> {
                    var items = defaults.get(String.valueOf(set.getMetadata().getNamespace()));
                    return items == null || isMalformed(set) ? set : admitted(set, items);
                })
                .toList();
    }

    private static Stream<LimitRangeItem> items(LimitRange range) {
        return Optional.ofNullable(range.getSpec().getLimits()).orElse(List.of()).stream()
                .filter(item -> item != null && "Container".equals(item.getType()));
    }

    private static boolean isMalformed(DaemonSet set) {
        return set.getSpec() == null
                || set.getSpec().getTemplate() == null
                || set.getSpec().getTemplate().getSpec() == null;
    }

    private static DaemonSet admitted(DaemonSet set, List<LimitRangeItem> items) {
        var pod = set.getSpec().getTemplate().getSpec();
        return new DaemonSetBuilder(set)
                .editSpec()
                .editTemplate()
                .editSpec()
                .withContainers(admitted(pod.getContainers(), items))
                .withInitContainers(admitted(pod.getInitContainers(), items))
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static List<Container> admitted(List<Container> containers, List<LimitRangeItem> items) {
        return containers.stream()
                .filter(Objects::nonNull)
                .map(container -> {
                    var resources =
                            Optional.ofNullable(container.getResources()).orElseGet(ResourceRequirements::new);
                    var requests = new HashMap<>(some(resources.getRequests()));
                    // Kubernetes uses the limit as the request of a container that states only a limit.
                    items.forEach(item -> defaults(item).forEach((name, amount) -> {
                        if (!some(resources.getLimits()).containsKey(name)) {
                            requests.putIfAbsent(name, amount);
                        }
                    }));
                    return new ContainerBuilder(container)
                            .editOrNewResources()
                            .withRequests(requests)
                            .endResources()
                            .build();
                })
                .toList();
    }

    private static Map<String, Quantity> defaults(LimitRangeItem item) {
        var defaults = new HashMap<>(some(item.getDefaultRequest()));
        some(item.getDefault()).forEach(defaults::putIfAbsent);
        some(item.getMax()).forEach(defaults::putIfAbsent);
        some(item.getMin()).forEach(defaults::putIfAbsent);
        return defaults;
    }

    private static Map<String, Quantity> some(Map<String, Quantity> amounts) {
        return amounts == null ? Map.of() : amounts;
    }
}
