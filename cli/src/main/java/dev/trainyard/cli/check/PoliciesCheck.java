package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;

/** A check of the ValidatingAdmissionPolicies that restrict components to the rights they need. */
final class PoliciesCheck implements Check {

    private static final String NUDGES = "trainyard-extender-nudges";

    /** The names of the policies, which are also the names of their bindings. */
    static final List<String> NAMES = List.of("trainyard-secrets", NUDGES, "trainyard-scaler-notices");

    private static final List<String> FILES =
            List.of("base/secrets-policy.yaml", "base/extender/nudge-policy.yaml", "base/scaler/notice-policy.yaml");
    private static final String ABOUT = "policies";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** An object of the manifests, with its file. */
    private record Shipment(String file, JsonNode object) {
        String kind() {
            return object.path("kind").asText();
        }

        String name() {
            return object.at("/metadata/name").asText();
        }
    }

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        var confinement = seen.confinement();
        findings.addAll(
                confinement.policies().findings(ABOUT, found -> look("ValidatingAdmissionPolicy", found, seen)));
        findings.addAll(
                confinement.bindings().findings(ABOUT, found -> look("ValidatingAdmissionPolicyBinding", found, seen)));
        return findings;
    }

    private static List<Finding> look(String kind, List<? extends HasMetadata> found, ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        for (var shipment : shipped(kind, seen.setting())) {
            found.stream()
                    .filter(one -> one.getMetadata().getName().equals(shipment.name()))
                    .findFirst()
                    .ifPresentOrElse(
                            one -> findings.addAll(differences(shipment, one)), () -> findings.add(missing(shipment)));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "each %s exists and matches the manifests".formatted(kind)))
                : findings;
    }

    private static Finding missing(Shipment shipment) {
        return Finding.warning(
                        ABOUT,
                        "%s %s is missing, so components have more rights than they need"
                                .formatted(shipment.kind(), shipment.name()))
                .on(shipment.kind() + " " + shipment.name())
                .todo("apply manifests/" + shipment.file())
                .see(TroubleshootingTopic.RIGHTS_TOO_WIDE);
    }

    private static List<Finding> differences(Shipment shipment, HasMetadata found) {
        var present = JSON.<JsonNode>valueToTree(found).path("spec");
        return ObjectDifferences.of("spec", present, shipment.object().path("spec")).stream()
                .map(difference -> Finding.warning(
                                ABOUT,
                                "%s %s differs from the manifests, so it may allow components too much, or refuse what they need"
                                        .formatted(shipment.kind(), shipment.name()))
                        .on(shipment.kind() + " " + shipment.name())
                        .field(difference.field(), difference.value(), difference.expected())
                        .todo("apply manifests/" + shipment.file())
                        .see(TroubleshootingTopic.RIGHTS_TOO_WIDE))
                .toList();
    }

    private static List<Shipment> shipped(String kind, CheckedInstallation setting) {
        return FILES.stream()
                .flatMap(file -> BundledManifests.objects(file, setting.namespace()).stream()
                        .map(object -> new Shipment(file, setting.hasSchedulerOfItsOwn() ? object : adapted(object))))
                .filter(shipment -> shipment.kind().equals(kind))
                .toList();
    }

    /** Adapts the policy as {@code overlays/default-scheduler} does, where the extender has its own ServiceAccount. */
    private static JsonNode adapted(JsonNode object) {
        if (object.at("/metadata/name").asText().equals(NUDGES)
                && object.at("/spec/matchConditions/0") instanceof ObjectNode condition) {
            condition.put(
                    "expression", condition.path("expression").asText().replace(Names.SCHEDULER, "trainyard-extender"));
        }
        return object;
    }
}
