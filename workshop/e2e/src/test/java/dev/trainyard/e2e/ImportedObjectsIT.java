package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real API server accepts pools and tiers as written by {@code import}. Nothing is stored. */
@WithControlPlane
class ImportedObjectsIT {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "cli", "src", "test", "resources", "import");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acs-engine",
                "acs-engine-parameters",
                "aks-engine",
                "aks-engine-per-pool",
                "cluster-autoscaler-aws",
                "cluster-autoscaler-azure",
                "kops",
                "kops-mixed"
            })
    void theApiServerAcceptsWhatIsImported(String name, KubernetesClient client) throws Exception {
        for (var definition : List.of("trainingpools", "trainingtiers")) {
            TestSchedulers.apply(client, "base/crds/" + definition + ".yaml");
            Definitions.awaitEstablished(client, definition + "." + Names.GROUP);
        }
        try (var yaml = Files.newInputStream(GOLDEN.resolve(name).resolve("objects.yaml"))) {
            var objects = client.load(yaml).items();

            assertThat(objects)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(object -> assertThat(client.resource(object)
                                    .dryRun()
                                    .create()
                                    .getMetadata()
                                    .getUid())
                            .as("%s %s", object.getKind(), object.getMetadata().getName())
                            .isNotEmpty());
        }
    }
}
