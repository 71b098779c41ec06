package dev.trainyard.scaler;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The stored results of {@code trainyard import} for example clusters, such as kops and aks-engine. The command's own tests keep the files
 * up to date.
 */
public final class ImportExamples {

    private static final Path WRITTEN =
            Path.of(System.getProperty("trainyard.root"), "cli", "src", "test", "resources", "import");

    private ImportExamples() {}

    /** Adds the imported pools and tiers of a cluster to {@code world}, as {@code kubectl apply} would. */
    public static void apply(ScalerFixture world, String cluster) {
        apply(world, cluster, UnaryOperator.identity());
    }

    /**
     * Adds the imported pools and tiers of a cluster after an edit of their files.
     *
     * @param edit the changes that an administrator makes in the files
     */
    public static void apply(ScalerFixture world, String cluster, UnaryOperator<String> edit) {
        var files = ResourceFiles.read(
                cluster, new ByteArrayInputStream(edit.apply(read(cluster)).getBytes(StandardCharsets.UTF_8)));
        files.ofKind(TrainingPool.class)
                .forEach(pool -> world.imported(
                        pool.getMetadata().getName(),
                        pool.getSpec(),
                        group(pool.getSpec().provider())));
        files.ofKind(TrainingTier.class)
                .forEach(tier -> world.cluster.tier(tier.getMetadata().getName(), tier.getSpec()));
    }

    /** Adds pending pods that select their nodes by a label. */
    public static void waiting(
            ScalerFixture world,
            int count,
            String prefix,
            String tier,
            Map<String, String> selector,
            String... requests) {
        for (int i = 1; i <= count; i++) {
            world.cluster.add(selecting(Objects.waiting(prefix + "-" + i, tier, requests), selector));
        }
    }

    /** Returns the name of the pool's group in the cloud. */
    private static String group(ProviderSpec provider) {
        return provider.awsAutoScalingGroup() == null
                ? provider.azureScaleSet().name()
                : provider.awsAutoScalingGroup().name();
    }

    private static Pod selecting(Pod pod, Map<String, String> selector) {
        return new PodBuilder(pod)
                .editSpec()
                .withNodeSelector(selector)
                .endSpec()
                .build();
    }

    private static String read(String cluster) {
        try {
            return Files.readString(WRITTEN.resolve(cluster).resolve("objects.yaml"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
