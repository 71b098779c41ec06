package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A check that the versions of the components, the scheduler and the API server are compatible. */
final class VersionsCheck implements Check {

    private static final String ABOUT = "versions";
    private static final int OLDEST = 32;
    private static final Pattern VERSION = Pattern.compile("v?1\\.(\\d+)\\b.*");

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var findings =
                new ArrayList<>(seen.installation().server().findings(ABOUT, version -> List.of(server(version))));
        seen.installation().deployments().value().ifPresent(deployments -> findings.addAll(look(deployments, seen)));
        return findings;
    }

    private static Finding server(String version) {
        boolean old = minor(version).filter(minor -> minor < OLDEST).isPresent();
        return old
                ? Finding.error(ABOUT, "this version of Kubernetes is too old for Trainyard")
                        .on("API server")
                        .field("version", version, "1.%d or newer".formatted(OLDEST))
                        .todo("upgrade Kubernetes")
                        .see(TroubleshootingTopic.OTHER_VERSION)
                : Finding.ok(ABOUT, "the API server is %s".formatted(version));
    }

    private static List<Finding> look(List<Deployment> deployments, ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        var tags = new TreeSet<String>();
        for (var deployment : deployments) {
            for (var container : ComponentDeployments.containers(deployment)) {
                var tag = ComponentDeployments.tag(container);
                if (ComponentDeployments.isOurs(container) && !tag.isEmpty()) {
                    tags.add(tag);
                } else if (container.getName().equals("kube-scheduler")) {
                    scheduler(deployment, tag, seen).ifPresent(findings::add);
                }
            }
        }
        if (tags.size() > 1) {
            findings.add(Finding.warning(
                            ABOUT, "components of different versions run at the same time: " + String.join(", ", tags))
                    .todo("finish the upgrade; versions may differ only during an upgrade to the next version")
                    .see(TroubleshootingTopic.OTHER_VERSION));
        }
        if (!tags.isEmpty() && !tags.contains(seen.setting().version())) {
            findings.add(Finding.note(
                            ABOUT,
                            "the components have version %s, but this command has version %s, so the findings may not apply to the components"
                                    .formatted(
                                            tags.stream().collect(Collectors.joining(", ")),
                                            seen.setting().version()))
                    .todo("run 'trainyard check' of the components' version")
                    .see(TroubleshootingTopic.OTHER_VERSION));
        }
        return findings;
    }

    /** Checks kube-scheduler's version skew policy: never newer than the API server, and at most one minor version older. */
    private static Optional<Finding> scheduler(Deployment deployment, String tag, ClusterSnapshot seen) {
        var server = seen.installation().server().value();
        var own = minor(tag);
        var theirs = server.flatMap(VersionsCheck::minor);
        if (own.isEmpty() || theirs.isEmpty()) {
            return Optional.empty();
        }
        int newer = own.get() - theirs.get();
        return newer == 0 || newer == -1
                ? Optional.empty()
                : Optional.of(Finding.of(
                                newer > 0 ? Finding.Level.ERROR : Finding.Level.WARNING,
                                ABOUT,
                                "the scheduler is %s than the API server allows"
                                        .formatted(newer > 0 ? "newer" : "older"))
                        .on(ComponentDeployments.object(deployment))
                        .field("image of kube-scheduler", tag, "%s, or one minor version older".formatted(server.get()))
                        .todo("set an expected version of kube-scheduler in your overlay or Helm values")
                        .see(TroubleshootingTopic.OTHER_VERSION));
    }

    private static Optional<Integer> minor(String version) {
        var matcher = VERSION.matcher(version);
        return matcher.matches() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
    }
}
