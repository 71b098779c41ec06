package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.TierChoice;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.checkpoint.AnnotationsFile;
import dev.trainyard.webhook.driver.HostMount;
import dev.trainyard.webhook.volume.Mount;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;

/** The MutatingAdmissionPolicy that completes the pods of one tier: {@code completion.yaml} with the tier's data. */
final class TierPolicy {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** The number of alternative names for each volume that the policy adds. A pod may already use some of the names. */
    static final int VOLUME_NAMES = 8;

    private TierPolicy() {}

    static ObjectNode of(String name, Tier tier, Catalogue catalogue, Rules rules) {
        var data = new LinkedHashMap<String, String>();
        data.put("tier", Cel.literal(NODES.textNode(tier.name())));
        data.put(
                "text",
                Cel.literal(NODES.textNode("tier %s; completed by a MutatingAdmissionPolicy".formatted(tier.name()))));
        data.put("defaults", Cel.literal(defaults(catalogue)));
        data.put("isOfTier", """
                variables.tier == (variables.named != '' ? variables.named
                  : variables.gpus == 0 ? ''
                  : variables.namedByNamespace != '' ? variables.namedByNamespace
                  : (variables.defaults.filter(d, variables.gpus >= d.min && variables.gpus <= d.max).map(d, d.tier) + [''])[0])""");
        data.put("isOurs", "variables.isOfTier");
        data.put("driver", Cel.literal(NODES.textNode(word(tier.driver().mode()))));
        var mounts = mounts(tier);
        var names = volumeNames(mounts);
        data.put("mounts", Cel.literal(driverMounts(mounts, names)));
        data.put("grace", String.valueOf(tier.checkpoint().grace().toSeconds()));
        data.put("fileVolumeNames", Cel.literal(fileVolumeNames(mounts, names)));
        data.put("pools", Cel.literal(PoolData.of(tier)));
        var policy =
                rules.policy("MutatingAdmissionPolicy", name, Rules.WANTS_GPU_OR_NAMES_TIER, data, "completion.yaml");
        // An optimisation: the API server skips pods that name another tier.
        policy.withArray("/spec/matchConditions")
                .addObject()
                .put("name", "names-no-other-tier")
                .put(
                        "expression",
                        "object.metadata.?annotations[?'%s'].orValue('').trim() in ['', %s]"
                                .formatted(Names.TIER, Cel.literal(NODES.textNode(tier.name()))));
        return policy;
    }

    private static String word(DriverMode mode) {
        return switch (mode) {
            case NONE -> "none";
            case LIBRARY_PATH -> "libraryPath";
            case HOST_PATH -> "hostPath";
        };
    }

    /** Returns the default tiers in the order in which they are considered. */
    private static ArrayNode defaults(Catalogue catalogue) {
        var list = NODES.arrayNode();
        TierChoice.defaults(catalogue)
                .forEach(tier -> tier.defaultGpus()
                        .ifPresent(range -> list.addObject()
                                .put("tier", tier.name())
                                .put("min", range.min())
                                .put("max", range.max())));
        return list;
    }

    /** Returns the mounts that containers of the tier's pods get. */
    private static List<Mount> mounts(Tier tier) {
        var mounts = new ArrayList<Mount>();
        if (tier.driver().mode() == DriverMode.HOST_PATH) {
            mounts.addAll(HostMount.of(tier.driver()));
        }
        if (tier.checkpoint().annotationsFile()) {
            mounts.add(new AnnotationsFile());
        }
        return mounts;
    }

    private static ArrayNode driverMounts(List<Mount> mounts, List<List<String>> names) {
        var list = NODES.arrayNode();
        for (int index = 0; index < mounts.size(); index++) {
            if (mounts.get(index) instanceof HostMount mount) {
                var data = list.addObject().put("mountPath", mount.mountPath());
                data.set("source", mount.source().path("hostPath"));
                names.get(index).forEach(data.putArray("names")::add);
            }
        }
        return list;
    }

    /** Returns the names that the volume of the annotations file may have; empty if the tier has no such file. */
    private static ArrayNode fileVolumeNames(List<Mount> mounts, List<List<String>> names) {
        var list = NODES.arrayNode();
        int index = mounts.indexOf(new AnnotationsFile());
        if (index >= 0) {
            names.get(index).forEach(list::add);
        }
        return list;
    }

    /**
     * Returns the names that the volume of each mount may have, the preferred one first. CEL chooses the names of all volumes at once, so
     * no name is in the lists of two mounts.
     */
    private static List<List<String>> volumeNames(List<Mount> mounts) {
        var taken = new HashSet<String>();
        var names = new ArrayList<List<String>>();
        mounts.forEach(mount -> names.add(new ArrayList<>()));
        for (int round = 0; round < VOLUME_NAMES; round++) {
            for (int index = 0; index < mounts.size(); index++) {
                var free = mounts.get(index)
                        .volumeNames()
                        .filter(name -> !taken.contains(name))
                        .findFirst()
                        .orElseThrow();
                taken.add(free);
                names.get(index).add(free);
            }
        }
        return names;
    }
}
