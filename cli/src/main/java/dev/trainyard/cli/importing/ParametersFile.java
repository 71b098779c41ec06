package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.pool.Pool;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A reader of {@code azuredeploy.parameters.json}, the parameters of a deployment of acs-engine's template. Every parameter whose name ends
 * in {@code VMSize} stands for a pool, except those of masters and jumpboxes. Parameters that pools do not need, such as private keys, are
 * skipped.
 */
final class ParametersFile {

    private static final String SIZE = "vmsize";

    private ParametersFile() {}

    static boolean isOne(JsonNode json) {
        return json.has("parameters") && !json.has("properties");
    }

    /** @throws IllegalArgumentException if the file has no pool */
    static Imported read(String file, JsonNode json, AzureCluster cluster, ImportRemarks remarks) {
        var parameters = new TrackedObject(file + ":", json, remarks).section("parameters");
        var pools = new TreeMap<String, String>();
        for (var name : parameters.members()) {
            var lower = name.toLowerCase(Locale.ROOT);
            var pool = name.substring(0, Math.max(0, name.length() - SIZE.length()));
            if (lower.endsWith(SIZE)
                    && !pool.isEmpty()
                    && !pool.equalsIgnoreCase("master")
                    && !pool.equalsIgnoreCase("jumpbox")) {
                pools.put(pool, name);
            }
        }
        if (pools.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: parameters: no size of a pool's machines; expected a parameter such as agentpool1VMSize"
                            .formatted(file));
        }
        var suffix = cluster.suffix(value(parameters, "nameSuffix"), parameters.place("nameSuffix"));
        var drafts = new ArrayList<PoolDraft>();
        pools.forEach((pool, sizeName) -> {
            var priority = value(parameters, pool + "ScaleSetPriority");
            var template = MachineTemplates.ofParameters(
                    pool, name -> value(parameters, name), cluster, "%s-availabilitySet-%s".formatted(pool, suffix));
            var provider = priority.isPresent()
                    ? cluster.scaleSet("k8s-%s-%s-vmss".formatted(pool, suffix), null)
                    : cluster.virtualMachines(pool, suffix, template);
            var draft = new PoolDraft(parameters.place(sizeName), "agent pool " + pool, pool, provider, remarks);
            if (priority.isEmpty()) {
                remarks.add(parameters.place(sizeName), pool, MachineTemplates.toBeStated(template));
            }
            value(parameters, sizeName).ifPresent(size -> {
                draft.size(size);
                draft.label(parameters.place(sizeName), "node.kubernetes.io/instance-type", size);
            });
            draft.label(parameters.place(sizeName), "agentpool", pool);
            value(parameters, "location")
                    .ifPresent(location -> draft.label(
                            parameters.place("location"),
                            "topology.kubernetes.io/region",
                            AzureCluster.location(location)));
            draft.spot(!priority.orElse("Regular").equalsIgnoreCase("Regular"));
            size(parameters, pool, draft);
            drafts.add(draft);
        });
        return new Imported(drafts, DriverMode.HOST_PATH);
    }

    private static void size(TrackedObject parameters, String pool, PoolDraft draft) {
        int min = draft.hasGpus() ? 0 : 1;
        draft.between(min, Pool.DEFAULT_MAX);
        value(parameters, pool + "Count")
                .filter(count -> !count.equals(String.valueOf(min)))
                .ifPresent(count -> parameters
                        .section(pool + "Count")
                        .remark("value", "the initial size of the pool; spec.min is %d".formatted(min)));
    }

    private static Optional<String> value(TrackedObject parameters, String name) {
        return parameters.section(name).text("value");
    }
}
