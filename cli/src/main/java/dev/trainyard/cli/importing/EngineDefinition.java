package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A reader of {@code apimodel.json}, the definition of a cluster of acs-engine or aks-engine. Reads the agent pools, the add-ons for
 * autoscaling and GPUs, and settings of the whole cluster that concern agent pools. Skips all other parts, such as the settings of masters.
 *
 * <p>Sources: the engines' pages on cluster definitions (docs/clusterdefinition.md of acs-engine, docs/topics/clusterdefinitions.md of
 * aks-engine) and on the add-on (examples/addons/cluster-autoscaler).
 */
final class EngineDefinition {

    /** The fields about the contents of machines, which remain settings of the scale set or the template. */
    private static final String[] OF_THE_MACHINE = {
        "osDiskSizeGB",
        "diskSizesGB",
        "osDiskCachingType",
        "dataDiskCachingType",
        "storageProfile",
        "diskEncryptionSetID",
        "ultraSSDEnabled",
        "encryptionAtHost",
        "vnetSubnetId",
        "ipAddressCount",
        "acceleratedNetworkingEnabled",
        "acceleratedNetworkingEnabledWindows",
        "enableVMSSNodePublicIP",
        "loadBalancerBackendAddressPoolIDs",
        "proximityPlacementGroupID",
        "platformFaultDomainCount",
        "platformUpdateDomainCount",
        "distro",
        "imageReference",
        "imageRef",
        "auditDEnabled",
        "sysctldConfig",
        "extensions",
        "preProvisionExtension",
        "vmssOverProvisioningEnabled",
        "customVMTags",
        "fqdn",
        "dnsPrefix",
        "ports",
        "role",
        "spotMaxPrice",
        "osType",
        "availabilityZones"
    };

    private static final List<String> PRIORITIES = List.of("Regular", "Low", "Spot");

    /** The kubelet's flags for reservations, which the imported {@code spec.promise} does not include. */
    private static final List<String> RESERVATIONS =
            List.of("--kube-reserved", "--system-reserved", "--eviction-hard", "--eviction-soft");

    private final Engine engine;
    private final AzureCluster cluster;
    private final TrackedObject properties;
    private final TrackedObject kubernetes;
    private final String location;
    private final ImportRemarks remarks;

    private EngineDefinition(Engine engine, AzureCluster cluster, TrackedObject root, ImportRemarks remarks) {
        this.engine = engine;
        this.cluster = cluster;
        this.properties = root.section("properties");
        this.kubernetes = properties.section("orchestratorProfile").section("kubernetesConfig");
        this.location = root.text("location").map(AzureCluster::location).orElse("");
        this.remarks = remarks;
    }

    /** @throws IllegalArgumentException if the file has no agent pool */
    static Imported read(String file, JsonNode json, Engine engine, AzureCluster cluster, ImportRemarks remarks) {
        return new EngineDefinition(engine, cluster, new TrackedObject(file + ":", json, remarks), remarks).read(file);
    }

    private Imported read(String file) {
        var profiles = properties.sections("agentPoolProfiles");
        if (profiles.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: properties.agentPoolProfiles: missing or empty; expected the definition of a cluster (apimodel.json)"
                            .formatted(file));
        }
        var addon = addon("cluster-autoscaler");
        var bounds = SizeBounds.of(addon);
        var timing = addon.flag("enabled").orElse(false) ? timing(addon) : Timing.NONE;
        var drafts = new ArrayList<PoolDraft>();
        for (var profile : profiles) {
            draft(profile, bounds).ifPresent(draft -> {
                draft.timing(timing);
                drafts.add(draft);
            });
        }
        boolean plugin = addon("nvidia-device-plugin").flag("enabled").orElse(false);
        return new Imported(drafts, plugin ? DriverMode.NONE : engine.driver());
    }

    private TrackedObject addon(String name) {
        return kubernetes.sections("addons").stream()
                .filter(addon -> addon.text("name").orElse("").equals(name))
                .findFirst()
                .orElseGet(() -> kubernetes.section("no add-on"));
    }

    private Timing timing(TrackedObject addon) {
        var config = addon.section("config");
        var settings = new TreeMap<String, String>();
        config.members().forEach(name -> config.text(name).ifPresent(value -> settings.put(name, value)));
        settings.remove("min-nodes");
        settings.remove("max-nodes");
        return AutoscalerSettings.read(settings, config::place, remarks);
    }

    private Optional<PoolDraft> draft(TrackedObject profile, SizeBounds bounds) {
        var name = profile.text("name").orElse("");
        var size = profile.text("vmSize").orElse("");
        if (name.isEmpty() || size.isEmpty()) {
            remarks.add(profile.place(), "", "pool left out: it must have a name and a vmSize");
            return Optional.empty();
        }
        if (profile.text("osType").orElse("Linux").equalsIgnoreCase("Windows")) {
            profile.remark("osType", "pool %s left out: training pods run on Linux".formatted(name));
            return Optional.empty();
        }
        boolean scaleSet = profile.text("availabilityProfile")
                .orElse(engine.availability())
                .equalsIgnoreCase("VirtualMachineScaleSets");
        var draft =
                new PoolDraft(profile.place(), "agent pool " + name, name, provider(profile, name, scaleSet), remarks);
        draft.size(size);
        draft.label(profile.place("name"), "agentpool", name);
        draft.label(profile.place("vmSize"), "node.kubernetes.io/instance-type", size);
        if (engine == Engine.AKS_ENGINE && draft.hasGpus()) {
            draft.label(profile.place("vmSize"), "accelerator", "nvidia");
        }
        profile.map("customNodeLabels")
                .forEach((key, value) -> draft.label(profile.place("customNodeLabels"), key, value));
        place(profile, draft);
        priority(profile, draft, scaleSet);
        bounds.set(draft, profile, scaleSet);
        kubelet(profile, draft);
        profile.passOver(OF_THE_MACHINE);
        profile.remarkOnTheRest();
        return Optional.of(draft);
    }

    private ProviderSpec provider(TrackedObject profile, String name, boolean scaleSet) {
        var named = profile.text("vmssName");
        boolean onePlacementGroup = SizeBounds.onePlacementGroup(profile);
        if (scaleSet && named.isPresent()) {
            return cluster.scaleSet(named.get(), onePlacementGroup);
        }
        var suffix = cluster.suffix(properties.text("clusterID"), properties.place("clusterID"));
        if (scaleSet) {
            return cluster.scaleSet("k8s-%s-%s-vmss".formatted(name, suffix), onePlacementGroup);
        }
        var template = MachineTemplates.ofProfile(
                profile,
                properties.section("linuxProfile"),
                location,
                cluster,
                "%s-availabilitySet-%s".formatted(name, suffix));
        profile.remark("name", MachineTemplates.toBeStated(template));
        return cluster.virtualMachines(name, suffix, template);
    }

    /** Adds the labels of region and zone. Machines in several zones have no common zone label. */
    private void place(TrackedObject profile, PoolDraft draft) {
        if (!location.isEmpty()) {
            draft.label("location", "topology.kubernetes.io/region", location);
        }
        var zones = profile.texts("availabilityZones");
        if (zones.size() == 1 && !location.isEmpty()) {
            draft.label(
                    profile.place("availabilityZones"), "topology.kubernetes.io/zone", location + "-" + zones.get(0));
        }
    }

    private static void priority(TrackedObject profile, PoolDraft draft, boolean scaleSet) {
        var priority = profile.text("scaleSetPriority").orElse("Regular");
        var policy = profile.text("scaleSetEvictionPolicy").orElse("Delete");
        if (PRIORITIES.stream().noneMatch(priority::equalsIgnoreCase)) {
            profile.remark("scaleSetPriority", "treated as Regular: expected one of " + String.join(", ", PRIORITIES));
        } else if (!priority.equalsIgnoreCase("Regular") && !scaleSet) {
            profile.remark("scaleSetPriority", "treated as Regular: only scale sets have a priority");
        } else {
            draft.spot(!priority.equalsIgnoreCase("Regular"));
        }
        if (draft.isSpot() && !policy.equalsIgnoreCase("Delete")) {
            profile.remark(
                    "scaleSetEvictionPolicy",
                    "reclaimed machines stay, switched off, and count as machines and against the quota; create the scale set again with Delete");
        }
    }

    private void kubelet(TrackedObject profile, PoolDraft draft) {
        var ofAll = kubernetes.section("kubeletConfig");
        var own = profile.section("kubernetesConfig").section("kubeletConfig");
        pods(own, ofAll, draft);
        for (var config : List.of(ofAll, own)) {
            config.text("--register-with-taints").ifPresent(taints -> {
                for (var taint : taints.split(",", 0)) {
                    draft.taint(config.place("--register-with-taints"), taint.strip());
                }
            });
            config.text("--node-labels").ifPresent(labels -> {
                for (var label : labels.split(",", 0)) {
                    var pair = label.split("=", 2);
                    draft.label(config.place("--node-labels"), pair[0].strip(), pair.length > 1 ? pair[1].strip() : "");
                }
            });
            RESERVATIONS.stream()
                    .filter(config::has)
                    .forEach(flag -> config.remark(
                            flag,
                            "not imported: the scaler plans without this reservation until a node is usable; if the reservation is large, "
                                    + "set spec.promise.allocatable as in `kubectl describe node`"));
        }
    }

    private void pods(TrackedObject own, TrackedObject ofAll, PoolDraft draft) {
        for (var config : List.of(own, ofAll)) {
            var number = config.text("--max-pods");
            if (number.isPresent()) {
                draft.allocatable(config.place("--max-pods"), "pods", number.get());
                return;
            }
        }
        podsByNetwork().ifPresent(number -> draft.allocatable(kubernetes.place("networkPlugin"), "pods", number));
    }

    /** Returns the engines' default number of pods per machine, which depends on the network; empty if the machine size decides. */
    private Optional<String> podsByNetwork() {
        var plugin = kubernetes.text("networkPlugin").or(() -> kubernetes.text("networkPolicy"));
        boolean azure = plugin.map(name -> name.equalsIgnoreCase("azure")).orElse(engine == Engine.AKS_ENGINE);
        return azure ? Optional.of("30") : Optional.empty();
    }
}
