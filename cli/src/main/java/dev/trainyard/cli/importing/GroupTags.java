package dev.trainyard.cli.importing;

import dev.trainyard.core.Durations;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A reader of the tags by which groups inform autoscalers. Kubernetes' cluster autoscaler reads tags such as
 * {@code k8s.io/cluster-autoscaler/node-template/...} on AWS. On Azure, these names have {@code _} for {@code /} and {@code ~2} for
 * {@code _}. The EC2 autoscaler of 2016 reads {@code kube/...}, {@code KubernetesRole} and {@code Role}.
 */
final class GroupTags {

    private static final String TEMPLATE = "k8s.io/cluster-autoscaler/node-template/";
    private static final String AZURE_TEMPLATE = "k8s.io_cluster-autoscaler_node-template_";
    private static final String CLUSTER_AUTOSCALER = "k8s.io/cluster-autoscaler/";
    private static final String OLD_LABEL = "kube/";
    private static final List<String> OLD_ROLES = List.of("KubernetesRole", "Role");
    private static final List<String> OLD_WORKERS = List.of("worker", "kubernetes-minion");

    private GroupTags() {}

    /** @param place returns the place of a tag in the file, by the tag's name */
    static void read(Map<String, String> tags, PoolDraft draft, UnaryOperator<String> place, ImportRemarks remarks) {
        tags.forEach((tag, value) -> {
            if (tag.startsWith(OLD_LABEL)) {
                old(tag.substring(OLD_LABEL.length()), value, draft, place.apply(tag), remarks);
            } else if (tag.startsWith(TEMPLATE)) {
                template(tag.substring(TEMPLATE.length()), value, draft, place.apply(tag), remarks);
            } else if (tag.startsWith(AZURE_TEMPLATE)) {
                azureTemplate(tag.substring(AZURE_TEMPLATE.length()), value, draft, place.apply(tag), remarks);
            } else if (OLD_ROLES.contains(tag) && !OLD_WORKERS.contains(value)) {
                remarks.add(
                        place.apply(tag),
                        value,
                        "the EC2 autoscaler skipped groups without %s; Trainyard uses the group that the pool names"
                                .formatted(String.join(" or ", OLD_WORKERS)));
            } else if (tag.startsWith(CLUSTER_AUTOSCALER)
                    && tag.substring(CLUSTER_AUTOSCALER.length()).contains("/")) {
                remarks.add(place.apply(tag), value, "left out: Trainyard has no such setting");
            }
        });
    }

    /** Adds the label of a tag of the EC2 autoscaler, and a remark that the tag alone does not label nodes, unless the pool has the label. */
    private static void old(String key, String value, PoolDraft draft, String place, ImportRemarks remarks) {
        if (!draft.hasLabel(key, value)) {
            draft.label(place, key, value);
            remarks.add(
                    place,
                    value,
                    ("promised as label %s=%s: make sure that nodes get this label (nodeLabels of the group), or pods that "
                                    + "select the label stay pending")
                            .formatted(key, value));
        }
    }

    private static void template(String rest, String value, PoolDraft draft, String place, ImportRemarks remarks) {
        int slash = rest.indexOf('/');
        var kind = slash < 0 ? rest : rest.substring(0, slash);
        var key = slash < 0 ? "" : rest.substring(slash + 1);
        switch (kind) {
            case "label" -> draft.label(place, key, value);
            case "taint" -> draft.taint(place, taint(key, value));
            case "resources" -> draft.allocatable(place, key, value);
            case "autoscaling-options" -> option(key, value, draft, place, remarks);
            default -> remarks.add(place, value, "left out: expected label, taint, resources or autoscaling-options");
        }
    }

    /** Reads a tag on Azure, whose name cannot contain a slash. In names of resources, both {@code _} and {@code ~2} mean a slash. */
    private static void azureTemplate(String rest, String value, PoolDraft draft, String place, ImportRemarks remarks) {
        int end = rest.indexOf('_');
        var kind = end < 0 ? rest : rest.substring(0, end);
        var escaped = end < 0 ? "" : rest.substring(end + 1);
        var key = kind.equals("resources")
                ? escaped.replace("~2", "/").replace('_', '/')
                : escaped.replace('_', '/').replace("~2", "_");
        template(kind + "/" + key, value, draft, place, remarks);
    }

    /** Returns the taint of a tag. The value of the tag is {@code value:Effect}, or only the effect. */
    private static String taint(String key, String value) {
        int colon = value.lastIndexOf(':');
        return colon <= 0 ? key + ":" + value.substring(colon + 1) : key + "=" + value;
    }

    private static void option(String option, String value, PoolDraft draft, String place, ImportRemarks remarks) {
        try {
            switch (option.toLowerCase(Locale.ROOT)) {
                case "scaledownunneededtime" ->
                    draft.timing(new Timing(
                            Optional.empty(), Optional.of(duration(value)), Optional.empty(), Optional.empty()));
                case "maxnodeprovisiontime" ->
                    draft.timing(new Timing(
                            Optional.of(duration(value)), Optional.empty(), Optional.empty(), Optional.empty()));
                case "scaledownutilizationthreshold" ->
                    draft.timing(new Timing(Optional.empty(), Optional.empty(), Optional.of(value), Optional.empty()));
                case "scaledowngpuutilizationthreshold" ->
                    draft.timing(new Timing(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(value)));
                default -> remarks.add(place, value, "left out: Trainyard has no such setting");
            }
        } catch (IllegalArgumentException e) {
            remarks.add(place, value, "left out: " + e.getMessage());
        }
    }

    private static String duration(String text) {
        return Durations.format(Durations.parse(text));
    }
}
