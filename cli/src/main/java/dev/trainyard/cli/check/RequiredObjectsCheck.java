package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/** A check for missing ConfigMaps and Secrets. A pod that needs a missing object does not start, so its log is empty. */
final class RequiredObjectsCheck implements Check {

    private static final String ABOUT = "configuration of parts";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.installation().named().findings(ABOUT, all -> look(all, seen.setting()));
    }

    private static List<Finding> look(List<RequiredObject> all, CheckedInstallation setting) {
        var findings = all.stream()
                .flatMap(named -> named
                        .keys()
                        .value()
                        .map(keys -> keys.isEmpty()
                                ? List.of(missing(named, setting))
                                : lacking(named, new TreeSet<>(keys.get()), setting))
                        .orElseGet(() -> List.of(named.keys().notChecked(ABOUT)))
                        .stream())
                .distinct()
                .toList();
        return findings.isEmpty() && !all.isEmpty()
                ? List.of(Finding.ok(ABOUT, "all ConfigMaps and Secrets of the Deployments exist"))
                : findings;
    }

    private static Finding missing(RequiredObject named, CheckedInstallation setting) {
        return Finding.error(
                        ABOUT,
                        "%s %s/%s is missing, so pods of %s do not start"
                                .formatted(named.kind(), setting.namespace(), named.name(), named.deployment()))
                .on(named.deployment())
                .field(named.field(), named.name(), "an existing %s".formatted(named.kind()))
                .todo(todo(named))
                .see(TroubleshootingTopic.REPLICAS_MISSING);
    }

    private static List<Finding> lacking(RequiredObject named, NavigableSet<String> keys, CheckedInstallation setting) {
        var object = "%s %s/%s".formatted(named.kind(), setting.namespace(), named.name());
        return named.needed().stream()
                .filter(key -> !keys.contains(key))
                .map(key -> Finding.error(
                                ABOUT,
                                "%s lacks a key, so pods of %s do not start".formatted(object, named.deployment()))
                        .on(object)
                        .field(
                                "data",
                                String.join(", ", keys),
                                key + " as well, which %s names".formatted(named.field()))
                        .todo("add the key to the %s, or name another key in the Deployment".formatted(named.kind()))
                        .see(TroubleshootingTopic.REPLICAS_MISSING))
                .toList();
    }

    private static String todo(RequiredObject named) {
        return named.kind().equals("ConfigMap")
                ? "if the ConfigMap is part of Trainyard, apply the manifests; otherwise create the ConfigMap"
                : "create the Secret as in docs/installing.md and docs/certificates.md, or name another Secret in the Deployment";
    }
}
