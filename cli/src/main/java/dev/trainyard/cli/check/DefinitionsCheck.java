package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** A check that the CustomResourceDefinitions are installed, in the version and with the fields of this Trainyard. */
final class DefinitionsCheck implements Check {

    /** The manifest files by the names of their CustomResourceDefinitions. */
    private static final Map<String, String> FILES = new TreeMap<>(Map.of(
            "trainingclusters.trainyard.dev", "base/crds/trainingclusters.yaml",
            "trainingpools.trainyard.dev", "base/crds/trainingpools.yaml",
            "trainingtiers.trainyard.dev", "base/crds/trainingtiers.yaml"));

    static final List<String> NAMES = List.copyOf(FILES.keySet());

    private static final String ABOUT = "definitions";
    private static final String APPLY = "apply manifests/base/crds from the installed release of Trainyard";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NAMED = 5;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.configuration().definitions().findings(ABOUT, DefinitionsCheck::look);
    }

    private static List<Finding> look(List<CustomResourceDefinition> definitions) {
        var findings = new ArrayList<Finding>();
        for (var name : NAMES) {
            var object = "CustomResourceDefinition " + name;
            definitions.stream()
                    .filter(definition -> definition.getMetadata().getName().equals(name))
                    .findFirst()
                    .ifPresentOrElse(
                            found -> findings.addAll(look(found, object)),
                            () -> findings.add(Finding.error(ABOUT, name + " is not installed")
                                    .on(object)
                                    .todo(APPLY)
                                    .see(TroubleshootingTopic.DEFINITIONS)));
        }
        return findings.isEmpty() ? List.of(Finding.ok(ABOUT, String.join(", ", NAMES) + " are installed")) : findings;
    }

    private static List<Finding> look(CustomResourceDefinition definition, String object) {
        var name = definition.getMetadata().getName();
        if (!isEstablished(definition)) {
            return List.of(Finding.error(ABOUT, name + " is not served")
                    .on(object)
                    .field("status.conditions[Established]", "not True", "True")
                    .todo("see the conditions in 'kubectl describe crd %s'".formatted(name))
                    .see(TroubleshootingTopic.DEFINITIONS));
        }
        var version = Optional.ofNullable(definition.getSpec().getVersions()).orElse(List.of()).stream()
                .filter(served -> served.getName().equals(Names.VERSION) && Boolean.TRUE.equals(served.getServed()))
                .findFirst();
        if (version.isEmpty()) {
            return List.of(Finding.error(ABOUT, "%s is not served as %s".formatted(name, Names.VERSION))
                    .on(object)
                    .field("spec.versions", versions(definition), Names.VERSION + ", served")
                    .todo(APPLY)
                    .see(TroubleshootingTopic.DEFINITIONS));
        }
        return fields(version.get(), name, object);
    }

    private static List<Finding> fields(CustomResourceDefinitionVersion version, String name, String object) {
        var present = paths(JSON.<JsonNode>valueToTree(version).at("/schema/openAPIV3Schema"));
        var ours = paths(BundledManifests.objects(Objects.requireNonNull(FILES.get(name), name))
                .get(0)
                .at("/spec/versions/0/schema/openAPIV3Schema"));
        var missing = new TreeSet<>(ours);
        missing.removeAll(present);
        var unknown = new TreeSet<>(present);
        unknown.removeAll(ours);
        var findings = new ArrayList<Finding>();
        if (!missing.isEmpty()) {
            findings.add(Finding.error(
                            ABOUT,
                            "%s is from an older version of Trainyard: the API server drops the fields %s"
                                    .formatted(name, some(missing)))
                    .on(object)
                    .todo(APPLY)
                    .see(TroubleshootingTopic.DEFINITIONS));
        }
        if (!unknown.isEmpty()) {
            findings.add(Finding.note(
                            ABOUT,
                            "%s is from a newer version of Trainyard: this command does not know the fields %s"
                                    .formatted(name, some(unknown)))
                    .on(object)
                    .see(TroubleshootingTopic.OTHER_VERSION));
        }
        return findings;
    }

    /** Returns the paths of all fields of a schema, such as {@code spec.promise.labels}. */
    private static NavigableSet<String> paths(JsonNode schema) {
        var paths = new TreeSet<String>();
        collect(schema, "", paths);
        return paths;
    }

    private static void collect(JsonNode schema, String path, NavigableSet<String> paths) {
        schema.path("properties").properties().forEach(member -> {
            var inside = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
            paths.add(inside);
            collect(member.getValue(), inside, paths);
        });
        if (schema.has("items")) {
            collect(schema.path("items"), path + "[]", paths);
        }
    }

    private static String some(NavigableSet<String> paths) {
        return Finding.first(NAMED, paths);
    }

    private static String versions(CustomResourceDefinition definition) {
        return String.join(
                ", ",
                Optional.ofNullable(definition.getSpec().getVersions()).orElse(List.of()).stream()
                        .map(version ->
                                version.getName() + (Boolean.TRUE.equals(version.getServed()) ? "" : " (not served)"))
                        .toList());
    }

    private static boolean isEstablished(CustomResourceDefinition definition) {
        return definition.getStatus() != null
                && definition.getStatus().getConditions() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(condition ->
                                "Established".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }
}
