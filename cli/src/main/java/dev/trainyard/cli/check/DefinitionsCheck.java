package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import java.util.ArrayList;
import java.util.List;

/** Whether the API server knows pools and tiers. */
final class DefinitionsCheck implements Check {

    static final List<String> NAMES = List.of("trainingpools.trainyard.dev", "trainingtiers.trainyard.dev");

    private static final String ABOUT = "definitions";

    @Override
    public List<Finding> look(Seen seen) {
        return seen.definitions().findings(ABOUT, DefinitionsCheck::look);
    }

    private static List<Finding> look(List<CustomResourceDefinition> definitions) {
        var findings = new ArrayList<Finding>();
        for (var name : NAMES) {
            var found = definitions.stream()
                    .filter(definition -> definition.getMetadata().getName().equals(name))
                    .findFirst();
            if (found.isEmpty()) {
                findings.add(Finding.problem(ABOUT, name + " is not installed", "apply manifests/base/crds"));
            } else if (!isEstablished(found.get())) {
                findings.add(Finding.problem(
                        ABOUT,
                        name + " is not served",
                        "see the conditions in 'kubectl describe crd %s'".formatted(name)));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, String.join(" and ", NAMES) + " are installed"))
                : findings;
    }

    private static boolean isEstablished(CustomResourceDefinition definition) {
        return definition.getStatus() != null
                && definition.getStatus().getConditions() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(condition ->
                                "Established".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }
}
