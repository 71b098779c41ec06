package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The Helm release that installed Trainyard. The next upgrade of a release reverts manifests that were applied by hand. */
record Release(String name, String namespace) {

    /** The pattern of remedies that are meant for installations with kubectl. */
    private static final Pattern APPLY =
            Pattern.compile("\\b(apply (the manifests|manifests/[^\\s,;]+)|put back what manifests/\\S+ has)");

    /**
     * Returns the release by Helm's annotations and labels; empty if there is none. Ignores CustomResourceDefinitions, which remain after
     * their release is removed.
     */
    static Optional<Release> of(ClusterSnapshot seen) {
        var objects = Stream.of(
                seen.installation().deployments().value().orElse(List.of()).stream(),
                seen.installation().services().value().orElse(List.of()).stream(),
                seen.admission().registration().value().flatMap(found -> found).stream());
        return objects.flatMap(some -> some)
                .flatMap(object -> read(object, seen).stream())
                .findFirst();
    }

    private static Optional<Release> read(HasMetadata object, ClusterSnapshot seen) {
        var annotations =
                Optional.ofNullable(object.getMetadata().getAnnotations()).orElse(Map.of());
        var labels = Optional.ofNullable(object.getMetadata().getLabels()).orElse(Map.of());
        var name = annotations.get("meta.helm.sh/release-name");
        boolean byHelm = name != null
                || "Helm".equals(labels.get("app.kubernetes.io/managed-by"))
                || labels.containsKey("helm.sh/chart");
        return byHelm
                ? Optional.of(new Release(
                        name == null ? "trainyard" : name,
                        annotations.getOrDefault(
                                "meta.helm.sh/release-namespace", seen.setting().namespace())))
                : Optional.empty();
    }

    /** Returns the finding with its remedy as a Helm command. */
    Finding words(Finding finding) {
        var upgrade = "run 'helm upgrade %s manifests/chart --namespace %s --reset-then-reuse-values'"
                .formatted(name, namespace);
        return finding.todo(APPLY.matcher(finding.todo()).replaceAll(Matcher.quoteReplacement(upgrade)));
    }
}
