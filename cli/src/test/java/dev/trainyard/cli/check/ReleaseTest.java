package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that findings for Helm installations do not advise to apply manifests. */
class ReleaseTest {

    private static final String UPGRADE =
            "run 'helm upgrade ours manifests/chart --namespace elsewhere --reset-then-reuse-values'";

    private final CheckFixture world = new CheckFixture();

    @Test
    void remediesAreInTheWordsOfWhatItWasInstalledWith() {
        world.definitions.remove(1);
        world.registration.getWebhooks().remove(1);
        world.services.remove(0);
        world.deployments.remove(0);
        world.schedulerFile = world.schedulerFile.replace("extenders:", "forgotten:");
        world.named = List.of(new RequiredObject(
                "ConfigMap",
                "config-x7",
                "Deployment trainyard-system/trainyard-scheduler",
                "volumes[configuration].configMap",
                Set.of(),
                ReadResult.of(Optional.empty())));
        world.rights = ReadResult.of(world.rights.value().orElseThrow().stream()
                .map(held -> new RightAnswer(
                        held.right(), held.user(), !held.right().resource().equals("pods/eviction")))
                .toList());
        assertThat(remedies())
                .contains(
                        "apply manifests/base/crds from the installed release of Trainyard",
                        "apply manifests/base/webhook/webhook-configuration.yaml",
                        "apply the manifests, unless the component runs elsewhere",
                        "put back what manifests/base/extender/scheduler-config.yaml has, and restart the scheduler",
                        "if the ConfigMap is part of Trainyard, apply the manifests; otherwise create the ConfigMap",
                        "apply manifests/base/scaler/rbac.yaml, which grants this right");

        world.deployments
                .get(0)
                .getMetadata()
                .setAnnotations(
                        Map.of("meta.helm.sh/release-name", "ours", "meta.helm.sh/release-namespace", "elsewhere"));
        assertThat(remedies())
                .contains(
                        UPGRADE + " from the installed release of Trainyard",
                        UPGRADE,
                        UPGRADE + ", unless the component runs elsewhere",
                        UPGRADE + ", and restart the scheduler",
                        "if the ConfigMap is part of Trainyard, " + UPGRADE + "; otherwise create the ConfigMap",
                        UPGRADE + ", which grants this right")
                .noneMatch(remedy -> remedy.startsWith("apply") || remedy.contains("manifests/base"));
    }

    @Test
    void aReleaseIsKnownByItsLabelToo() {
        world.registration.getMetadata().setLabels(Map.of("app.kubernetes.io/managed-by", "Helm"));
        assertThat(Release.of(world.seen())).contains(new Release("trainyard", "trainyard-system"));
        world.registration.getMetadata().setLabels(Map.of("app.kubernetes.io/managed-by", "kustomize"));
        assertThat(Release.of(world.seen())).isEmpty();
    }

    @Test
    void definitionsThatOutlivedTheirReleaseAreNoRelease() {
        world.definitions.get(0).getMetadata().setAnnotations(Map.of("meta.helm.sh/release-name", "gone"));
        assertThat(Release.of(world.seen())).isEmpty();
    }

    private List<String> remedies() {
        return world.all().stream().map(Finding::todo).toList();
    }
}
