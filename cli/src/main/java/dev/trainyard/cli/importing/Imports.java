package dev.trainyard.cli.importing;

import dev.trainyard.cloud.aws.Discovery;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What other tools have written down, as pools and tiers. Files are only read; no cloud is asked, but for {@link #aws}.
 *
 * <p>All throw {@link IllegalArgumentException} for a file that cannot be read or is of another kind, and when something that every pool
 * needs is in neither the file nor the options ({@link MissingOptionsException}); the message names it and says what to do.
 */
public final class Imports {

    private Imports() {}

    /** A cluster of acs-engine, from its definition or the parameters of its deployment. */
    public static Result acsEngine(
            Path path,
            Optional<String> subscription,
            Optional<String> resourceGroup,
            Optional<String> nameSuffix,
            Remarks remarks) {
        var file = SourceFile.read(path);
        var json = file.json();
        var missing = new MissingOptions();
        var cluster = AzureCluster.of(subscription, resourceGroup, nameSuffix, missing);
        var imported = ParametersFile.isOne(json)
                ? ParametersFile.read(file.name(), json, cluster, remarks)
                : EngineDefinition.read(file.name(), json, Engine.ACS_ENGINE, cluster, remarks);
        missing.requireNone();
        return Result.of(imported, remarks);
    }

    /** A cluster of aks-engine, from its definition. */
    public static Result aksEngine(
            Path path,
            Optional<String> subscription,
            Optional<String> resourceGroup,
            Optional<String> nameSuffix,
            Remarks remarks) {
        var file = SourceFile.read(path);
        var missing = new MissingOptions();
        var cluster = AzureCluster.of(subscription, resourceGroup, nameSuffix, missing);
        var imported = EngineDefinition.read(file.name(), file.json(), Engine.AKS_ENGINE, cluster, remarks);
        missing.requireNone();
        return Result.of(imported, remarks);
    }

    /** The InstanceGroups of a cluster of kops. */
    public static Result kops(Path path, Optional<String> clusterName, Optional<String> region, Remarks remarks) {
        return Result.of(KopsGroups.read(SourceFile.read(path), clusterName, region, remarks), remarks);
    }

    /**
     * The Auto Scaling groups that are a cluster's by their tags. Asks AWS, as whom the environment says.
     *
     * @throws IllegalArgumentException also when AWS does not answer as it should
     */
    public static Result aws(String region, String cluster, Remarks remarks) {
        try {
            return Result.of(AwsAccount.read(Discovery.in(region, cluster), remarks), remarks);
        } catch (ProviderException e) {
            throw new IllegalArgumentException("AWS: " + e.words(), e);
        }
    }

    /** The groups that Kubernetes' cluster autoscaler scales. */
    public static Result clusterAutoscaler(List<Path> paths, Remarks remarks) {
        var files = paths.stream().map(SourceFile::read).toList();
        return Result.of(AutoscalerImport.read(files, remarks), remarks);
    }
}
