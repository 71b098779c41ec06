package dev.trainyard.cli.importing;

import dev.trainyard.cloud.aws.Discovery;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The imports of pools and tiers from the files of other tools. Files are never changed. No cloud is called, except by {@link #aws}.
 *
 * <p>All methods throw {@link IllegalArgumentException} if a file cannot be read or is of another kind. They throw
 * {@link MissingOptionsException} if neither the file nor the options have a value that every pool needs. The message names the problem
 * and the remedy.
 */
public final class Imports {

    private Imports() {}

    /** Returns the pools of a cluster of acs-engine, from its definition or the parameters of its deployment. */
    public static Result acsEngine(
            Path path,
            Optional<String> subscription,
            Optional<String> resourceGroup,
            Optional<String> nameSuffix,
            ImportRemarks remarks) {
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

    /** Returns the pools of a cluster of aks-engine, from its definition. */
    public static Result aksEngine(
            Path path,
            Optional<String> subscription,
            Optional<String> resourceGroup,
            Optional<String> nameSuffix,
            ImportRemarks remarks) {
        var file = SourceFile.read(path);
        var missing = new MissingOptions();
        var cluster = AzureCluster.of(subscription, resourceGroup, nameSuffix, missing);
        var imported = EngineDefinition.read(file.name(), file.json(), Engine.AKS_ENGINE, cluster, remarks);
        missing.requireNone();
        return Result.of(imported, remarks);
    }

    /** Returns the pools for the InstanceGroups of a cluster of kops. */
    public static Result kops(Path path, Optional<String> clusterName, Optional<String> region, ImportRemarks remarks) {
        return Result.of(KopsGroups.read(SourceFile.read(path), clusterName, region, remarks), remarks);
    }

    /**
     * Returns the pools for the Auto Scaling groups with a cluster's tags. Calls AWS with the credentials of the environment.
     *
     * @throws IllegalArgumentException also if a call to AWS fails
     */
    public static Result aws(String region, String cluster, ImportRemarks remarks) {
        try {
            return Result.of(AwsAccount.read(Discovery.in(region, cluster), remarks), remarks);
        } catch (ProviderException e) {
            throw new IllegalArgumentException("AWS: " + e.words(), e);
        }
    }

    /** Returns the pools for the groups that Kubernetes' cluster autoscaler scales. */
    public static Result clusterAutoscaler(List<Path> paths, ImportRemarks remarks) {
        var files = paths.stream().map(SourceFile::read).toList();
        return Result.of(AutoscalerImport.read(files, remarks), remarks);
    }
}
