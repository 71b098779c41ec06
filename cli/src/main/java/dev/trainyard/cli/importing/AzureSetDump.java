package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Pattern;

/** A reader of scale sets as {@code az vmss list} prints them. */
final class AzureSetDump {

    private static final Pattern ID =
            Pattern.compile("(?i)/subscriptions/([^/]+)/resourceGroups/([^/]+)/providers/Microsoft.Compute/.*");
    private static final String SPOT = "kubernetes.azure.com/scalesetpriority";

    private final ImportRemarks remarks;

    private AzureSetDump(ImportRemarks remarks) {
        this.remarks = remarks;
    }

    static boolean isDump(JsonNode json) {
        return json.isArray() && !json.isEmpty() && json.get(0).has("sku");
    }

    /** @param dumps the files with their contents */
    static List<CloudGroup> read(List<AutoscalerImport.Dump> dumps, ImportRemarks remarks) {
        var groups = new ArrayList<CloudGroup>();
        dumps.forEach(dump -> {
            var root = JsonNodeFactory.instance.objectNode().set("scaleSets", dump.json());
            new TrackedObject(dump.file() + ":", root, remarks)
                    .sections("scaleSets")
                    .forEach(set -> new AzureSetDump(remarks).group(set).ifPresent(groups::add));
        });
        return groups;
    }

    private Optional<CloudGroup> group(TrackedObject set) {
        var name = set.text("name").orElse("");
        var id = ID.matcher(set.text("id").orElse(""));
        if (name.isEmpty() || !id.matches()) {
            remarks.add(set.place(), name, "scale set left out: its name is missing, or its id is missing or invalid");
            return Optional.empty();
        }
        var tags = set.map("tags");
        var provider = new AzureCluster(id.group(1), id.group(2), Optional.empty(), new MissingOptions())
                .scaleSet(name, set.flag("singlePlacementGroup").orElse(null));
        var draft = new PoolDraft(set.place(), "scale set " + name, name, provider, remarks);
        set.section("sku").text("name").ifPresent(size -> {
            draft.size(size);
            draft.label(set.place("sku"), "node.kubernetes.io/instance-type", size);
        });
        priority(set, draft, tags);
        bounds(set, draft, tags);
        var pool = tags.getOrDefault("aks-managed-poolName", tags.getOrDefault("poolName", ""));
        if (!pool.isEmpty()) {
            draft.label(set.place("tags"), "agentpool", pool);
        }
        var zones = set.texts("zones");
        var location = set.text("location").map(AzureCluster::location).orElse("");
        if (!location.isEmpty()) {
            draft.label(set.place("location"), "topology.kubernetes.io/region", location);
        }
        if (zones.size() == 1 && !location.isEmpty()) {
            draft.label(set.place("zones"), "topology.kubernetes.io/zone", location + "-" + zones.get(0));
        }
        GroupTags.read(tags, draft, tag -> set.place("tags") + "." + tag, remarks);
        return Optional.of(new CloudGroup(name, draft, tags, !pool.isEmpty() || tags.containsKey("min")));
    }

    private static void priority(TrackedObject set, PoolDraft draft, SortedMap<String, String> tags) {
        var profile = set.section("virtualMachineProfile");
        var priority = profile.text("priority").orElse("Regular");
        draft.spot(!priority.equalsIgnoreCase("Regular"));
        if (!draft.isSpot()) {
            return;
        }
        if (tags.containsKey("aks-managed-poolName")) {
            draft.label(profile.place("priority"), SPOT, "spot");
            draft.taint(profile.place("priority"), SPOT + "=spot:NoSchedule");
        }
        if (!profile.text("evictionPolicy").orElse("Deallocate").equalsIgnoreCase("Delete")) {
            profile.remark(
                    "evictionPolicy",
                    "reclaimed machines stay, switched off, and count as machines and against the quota; create the scale set again with Delete");
        }
    }

    private void bounds(TrackedObject set, PoolDraft draft, SortedMap<String, String> tags) {
        var min = bound(set, tags, "min");
        var max = bound(set, tags, "max");
        draft.between(min.orElse(0), max.orElse(Math.max(draft.max(), min.orElse(0))));
        boolean one = set.flag("singlePlacementGroup").orElse(false);
        int most = one ? AzureScaleSet.MOST_IN_ONE_GROUP : AzureScaleSet.MOST;
        draft.limit(
                most,
                wanted -> set.remark(
                        "singlePlacementGroup",
                        "a scale set with %s has at most %d machines: spec.max is %d, not %d"
                                .formatted(
                                        one ? "one placement group" : "several placement groups", most, most, wanted)));
    }

    private Optional<Integer> bound(TrackedObject set, SortedMap<String, String> tags, String name) {
        var text = tags.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            remarks.add(set.place("tags") + "." + name, text, "left out: expected a whole number");
            return Optional.empty();
        }
    }
}
