package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;

/** A check that all replicas of each component are ready. */
final class ReplicasCheck implements Check {

    private static final String ABOUT = "replicas";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.installation().deployments().findings(ABOUT, deployments -> look(deployments, seen.setting()));
    }

    private static List<Finding> look(List<Deployment> deployments, CheckedInstallation setting) {
        if (deployments.isEmpty()) {
            return List.of(Finding.note(
                            ABOUT,
                            "namespace %s has no Deployments of Trainyard: the components run elsewhere, or not at all"
                                    .formatted(setting.namespace()))
                    .todo("name another namespace with --namespace, or see docs/installing.md"));
        }
        var findings = new ArrayList<Finding>();
        for (var name : List.of(
                "trainyard-webhook",
                setting.hasSchedulerOfItsOwn() ? "trainyard-scheduler" : "trainyard-extender",
                "trainyard-scaler")) {
            deployments.stream()
                    .filter(deployment -> deployment.getMetadata().getName().equals(name))
                    .findFirst()
                    .ifPresentOrElse(
                            deployment -> findings.add(look(deployment)),
                            () -> findings.add(Finding.warning(ABOUT, "there is no Deployment " + name)
                                    .on("Deployment %s/%s".formatted(setting.namespace(), name))
                                    .todo("apply the manifests, unless the component runs elsewhere")
                                    .see(TroubleshootingTopic.REPLICAS_MISSING)));
        }
        return findings;
    }

    private static Finding look(Deployment deployment) {
        int wanted = ComponentDeployments.wanted(deployment);
        int ready = ComponentDeployments.ready(deployment);
        var object = ComponentDeployments.object(deployment);
        if (wanted == 0) {
            return Finding.note(
                    ABOUT, "%s has no replicas: the component runs elsewhere, or not at all".formatted(object));
        }
        if (ready < wanted) {
            return Finding.of(
                            ready == 0 ? Finding.Level.ERROR : Finding.Level.WARNING,
                            ABOUT,
                            ready == 0 ? "no replica is ready" : "not all replicas are ready")
                    .on(object)
                    .field("status.readyReplicas", String.valueOf(ready), String.valueOf(wanted))
                    .todo(
                            "look at its pods' Events and logs: kubectl -n %s describe pods -l app.kubernetes.io/name=trainyard"
                                    .formatted(deployment.getMetadata().getNamespace()))
                    .see(TroubleshootingTopic.REPLICAS_MISSING);
        }
        return wanted == 1
                ? Finding.note(ABOUT, "%s has only one replica, so no other replica can take over".formatted(object))
                : Finding.ok(ABOUT, "all %d replicas of %s are ready".formatted(wanted, object));
    }
}
