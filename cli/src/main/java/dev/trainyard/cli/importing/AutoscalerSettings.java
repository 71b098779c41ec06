package dev.trainyard.cli.importing;

import dev.trainyard.core.Durations;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.UnaryOperator;

/**
 * A reader of the settings of Kubernetes' cluster autoscaler. A setting has the name of a flag of the autoscaler, without leading dashes.
 */
final class AutoscalerSettings {

    private static final String IN_ORDER =
            "left out: Trainyard fills a tier's pools in their order, and equally preferred pools by spec.hourlyPrice";
    private static final String NO_TOTAL = "left out: there is no limit over all pools; lower spec.max of pools";
    private static final String BY_IDLENESS =
            "left out: a machine is removed after being idle for spec.scaleDown.idleAfter, regardless of other events";
    private static final String KEEP_PODS =
            "left out: annotate pods whose machine must stay with trainyard.dev/do-not-disrupt: \"true\"";

    /** The advice for settings that pools do not have. */
    private static final Map<String, String> ADVICE = Map.ofEntries(
            Map.entry("scan-interval", "not part of a pool: start the scaler with --scan-interval and this value"),
            Map.entry("expander", IN_ORDER),
            Map.entry("balance-similar-node-groups", IN_ORDER),
            Map.entry("max-nodes-total", NO_TOTAL),
            Map.entry("cores-total", NO_TOTAL),
            Map.entry("memory-total", NO_TOTAL),
            Map.entry("gpu-total", NO_TOTAL),
            Map.entry("scale-down-delay-after-add", BY_IDLENESS),
            Map.entry("scale-down-delay-after-delete", BY_IDLENESS),
            Map.entry("scale-down-delay-after-failure", BY_IDLENESS),
            Map.entry("skip-nodes-with-local-storage", KEEP_PODS),
            Map.entry("skip-nodes-with-system-pods", KEEP_PODS),
            Map.entry("skip-nodes-with-custom-controller-pods", KEEP_PODS));

    /** The flags that need no remark: those about the autoscaler's process, and those that other code reads. */
    private static final Set<String> OF_THE_PROCESS = Set.of(
            "v",
            "vmodule",
            "stderrthreshold",
            "logtostderr",
            "alsologtostderr",
            "log-dir",
            "kubeconfig",
            "kubernetes",
            "namespace",
            "address",
            "cloud-provider",
            "cloud-config",
            "cluster-name",
            "leader-elect",
            "write-status-configmap",
            "status-config-map-name",
            "aws-use-static-instance-list",
            "scale-down-enabled",
            "node-group-auto-discovery",
            "nodes");

    private AutoscalerSettings() {}

    /**
     * Returns the settings that a pool has, and adds remarks about all others.
     *
     * @param settings the settings by name; settings that name groups are skipped
     * @param place returns the place of a setting in the file, by the setting's name
     */
    static Timing read(SortedMap<String, String> settings, UnaryOperator<String> place, ImportRemarks remarks) {
        var rest = new HashMap<>(settings);
        var timing = new Timing(
                duration("max-node-provision-time", rest, place, remarks),
                duration("scale-down-unneeded-time", rest, place, remarks),
                share("scale-down-utilization-threshold", rest, place, remarks),
                share("scale-down-gpu-utilization-threshold", rest, place, remarks));
        if ("false".equals(settings.get("scale-down-enabled"))) {
            remarks.add(
                    place.apply("scale-down-enabled"),
                    "false",
                    "left out: Trainyard removes idle machines; raise spec.min of pools that must not shrink");
        }
        settings.forEach((name, value) -> {
            if (rest.containsKey(name) && !OF_THE_PROCESS.contains(name)) {
                remarks.add(
                        place.apply(name),
                        value,
                        ADVICE.getOrDefault(
                                name, "left out: Trainyard has no such setting; see `trainyard scaler --help`"));
            }
        });
        return timing;
    }

    /** Returns a duration, such as 10m; empty if the setting is missing or invalid. The setting has Go's format, such as 10m0s. */
    private static Optional<String> duration(
            String name, Map<String, String> settings, UnaryOperator<String> place, ImportRemarks remarks) {
        var text = settings.remove(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Durations.format(Durations.parse(text)));
        } catch (IllegalArgumentException e) {
            remarks.add(place.apply(name), text, "left out: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<String> share(
            String name, Map<String, String> settings, UnaryOperator<String> place, ImportRemarks remarks) {
        var text = settings.remove(name);
        if (text == null) {
            return Optional.empty();
        }
        if (!text.matches("0(\\.[0-9]+)?|1(\\.0+)?")) {
            remarks.add(place.apply(name), text, "left out: expected a share between 0 and 1, such as 0.5");
            return Optional.empty();
        }
        return Optional.of(text);
    }
}
