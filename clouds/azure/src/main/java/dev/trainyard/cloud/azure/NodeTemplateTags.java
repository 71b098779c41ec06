package dev.trainyard.cloud.azure;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tags of a scale set that describe its nodes, as users of the Cluster Autoscaler write them. Names of tags cannot contain {@code /}.
 * In labels and taints, {@code _} stands for {@code /}, and {@code ~2} for {@code _}. In resources, {@code _} and {@code ~2} both stand for
 * {@code /}.
 *
 * @param labels promised labels
 * @param taints promised taints, {@code key=value:Effect}
 * @param resources promised resources, as quantities
 * @param problems tags that cannot be read, and why
 */
record NodeTemplateTags(
        Map<String, String> labels, List<String> taints, Map<String, String> resources, List<String> problems) {

    private static final String PREFIX = "k8s.io_cluster-autoscaler_node-template_";
    private static final String LABEL = PREFIX + "label_";
    private static final String TAINT = PREFIX + "taint_";
    private static final String RESOURCES = PREFIX + "resources_";

    NodeTemplateTags {
        labels = Map.copyOf(labels);
        taints = List.copyOf(taints);
        resources = Map.copyOf(resources);
        problems = List.copyOf(problems);
    }

    static NodeTemplateTags of(Map<String, String> tags) {
        var labels = new TreeMap<String, String>();
        var taints = new ArrayList<String>();
        var resources = new TreeMap<String, String>();
        var problems = new ArrayList<String>();
        new TreeMap<>(tags).forEach((tag, value) -> {
            if (tag.startsWith(LABEL)) {
                labels.put(key(tag.substring(LABEL.length())), value);
            } else if (tag.startsWith(TAINT)) {
                if (value.matches("[^:]*:(NoSchedule|PreferNoSchedule|NoExecute)")) {
                    taints.add(key(tag.substring(TAINT.length())) + "=" + value);
                } else {
                    problems.add(
                            "tag %s: '%s' is not a taint's value and effect; expected a text such as spot:NoSchedule"
                                    .formatted(tag, value));
                }
            } else if (tag.startsWith(RESOURCES)) {
                resources.put(
                        tag.substring(RESOURCES.length()).replace("~2", "/").replace('_', '/'), value);
            }
        });
        return new NodeTemplateTags(labels, taints, resources, problems);
    }

    /**
     * Returns the differences between the tags and a pool's promise, in whole sentences. The scaler plans with the promise, since users of
     * a tier rely on the promise. A difference shows that either the promise or the tag is wrong.
     */
    List<String> against(NodeShape promise) {
        var differences = new ArrayList<String>();
        new TreeMap<>(labels).forEach((key, value) -> {
            var promised = promise.labels().get(key);
            if (!value.equals(promised)) {
                differences.add("its tags give nodes the label %s=%s, but spec.promise.labels %s"
                        .formatted(key, value, promised == null ? "has no such label" : "has the value " + promised));
            }
        });
        var promisedTaints = promise.taints().stream()
                .map(taint -> "%s=%s:%s".formatted(taint.key(), taint.valueOrEmpty(), taint.effect()))
                .toList();
        taints.stream()
                .filter(taint -> !promisedTaints.contains(taint))
                .map(taint ->
                        "its tags give nodes the taint %s, but spec.promise.taints has no such taint".formatted(taint))
                .forEach(differences::add);
        new TreeMap<>(resources).forEach((name, quantity) -> {
            var difference = against(promise.allocatable(), name, quantity);
            if (difference != null) {
                differences.add(difference);
            }
        });
        return differences;
    }

    private static @Nullable String against(Resources promised, String name, String quantity) {
        try {
            var told = Resources.parse("resource", Map.of(name, new Quantity(quantity)));
            return promised.asMap().entrySet().stream()
                    .filter(amount -> told.asMap().containsKey(amount.getKey()))
                    .filter(amount -> amount.getValue() > told.get(amount.getKey()))
                    .findFirst()
                    .map(amount -> "its tags give nodes %s of resource %s, but spec.promise.allocatable promises more"
                            .formatted(quantity, name))
                    .orElse(null);
        } catch (IllegalArgumentException e) {
            return "tag %s%s: %s".formatted(RESOURCES, name, e.getMessage());
        }
    }

    private static String key(String escaped) {
        return escaped.replace('_', '/').replace("~2", "_");
    }
}
