package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.Names;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rights that Trainyard's components need. The manifests grant these rights by rules, and by bindings to Kubernetes' own roles. */
final class NeededRights {

    private static final List<String> ALWAYS =
            List.of("base/webhook/rbac.yaml", "base/scheduler/rbac.yaml", "base/scaler/rbac.yaml");
    private static final String OF_THE_EXTENDER = "base/extender/rbac.yaml";
    private static final String BESIDE_THE_CLUSTERS_OWN_SCHEDULER = "overlays/default-scheduler/rbac.yaml";
    private static final String SIMULATED_MACHINES = "components/kwok-provider/rbac.yaml";
    private static final String EXTENDER = "trainyard-extender";

    private final CheckedInstallation setting;

    private NeededRights(CheckedInstallation setting) {
        this.setting = setting;
    }

    /**
     * @param usesExtender whether the extender is installed
     * @param simulatesMachines whether there are pools of simulated machines
     */
    static List<Right> of(CheckedInstallation setting, boolean usesExtender, boolean simulatesMachines) {
        var files = new ArrayList<>(ALWAYS);
        if (usesExtender) {
            files.add(OF_THE_EXTENDER);
        }
        if (!setting.hasSchedulerOfItsOwn()) {
            files.add(BESIDE_THE_CLUSTERS_OWN_SCHEDULER);
        }
        if (simulatesMachines) {
            files.add(SIMULATED_MACHINES);
        }
        var rights = new LinkedHashSet<Right>();
        var reader = new NeededRights(setting);
        files.forEach(file -> rights.addAll(reader.read(file)));
        return List.copyOf(rights);
    }

    private List<Right> read(String file) {
        var roles = new HashMap<String, JsonNode>();
        var bindings = new ArrayList<JsonNode>();
        for (var object : BundledManifests.objects(file)) {
            var kind = object.path("kind").asText();
            if (kind.equals("ClusterRole") || kind.equals("Role")) {
                roles.put(kind + " " + object.at("/metadata/name").asText(), object);
            } else if (kind.endsWith("Binding") && isInstalled(file, object)) {
                bindings.add(object);
            }
        }
        var rights = new ArrayList<Right>();
        for (var binding : bindings) {
            var name = binding.at("/roleRef/kind").asText() + " "
                    + binding.at("/roleRef/name").asText();
            var role = roles.get(name);
            var rules = role == null ? KubernetesRoles.rules(name) : role.path("rules");
            rules.forEach(rule -> rights.addAll(rights(file, binding, rule, role == null ? name : "")));
        }
        return rights;
    }

    /** Whether the installation has the binding. {@code overlays/default-scheduler} removes the bindings of Trainyard's scheduler. */
    private boolean isInstalled(String file, JsonNode binding) {
        var name = binding.at("/metadata/name").asText();
        return setting.hasSchedulerOfItsOwn()
                || file.equals(BESIDE_THE_CLUSTERS_OWN_SCHEDULER)
                || !name.startsWith("trainyard-scheduler");
    }

    private Set<Right> rights(String file, JsonNode binding, JsonNode rule, String bound) {
        var subject = binding.at("/subjects/0/name").asText();
        // Beside the cluster's own scheduler, the extender runs in its own pods, under its own ServiceAccount.
        var account = !setting.hasSchedulerOfItsOwn() && file.equals(OF_THE_EXTENDER) ? EXTENDER : subject;
        var namespace = binding.path("kind").asText().equals("RoleBinding")
                ? own(binding.at("/metadata/namespace").asText())
                : "";
        var rights = new LinkedHashSet<Right>();
        for (var verb : rule.path("verbs")) {
            for (var group : rule.path("apiGroups")) {
                for (var resource : rule.path("resources")) {
                    for (var name : names(rule)) {
                        rights.add(new Right(
                                file,
                                account,
                                verb.asText(),
                                group.asText(),
                                resource.asText(),
                                namespace,
                                name,
                                bound));
                    }
                }
            }
        }
        return rights;
    }

    private static List<String> names(JsonNode rule) {
        var names = new ArrayList<String>();
        rule.path("resourceNames").forEach(name -> names.add(name.asText()));
        return names.isEmpty() ? List.of("") : names;
    }

    private String own(String namespace) {
        return Map.of(Names.NAMESPACE, setting.namespace()).getOrDefault(namespace, namespace);
    }
}
