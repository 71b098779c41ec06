package dev.trainyard.cli;

import dev.trainyard.cli.importing.ImportRemarks;
import dev.trainyard.cli.importing.ImportedManifests;
import dev.trainyard.cli.importing.Imports;
import dev.trainyard.cli.importing.MissingOptionsException;
import dev.trainyard.cli.importing.Result;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code trainyard import}. */
@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        description = "Writes pools and tiers for a cluster that another tool made or scaled.",
        subcommands = {
            ImportCommand.AcsEngine.class,
            ImportCommand.AksEngine.class,
            ImportCommand.Kops.class,
            ImportCommand.ClusterAutoscaler.class,
            ImportCommand.Aws.class
        })
final class ImportCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() {
        throw new ParameterException(
                command.commandLine(),
                "import: the subcommand is missing; expected one of "
                        + String.join(", ", command.subcommands().keySet()));
    }

    /** The part that all imports share: the output files and the exit code. */
    abstract static class Import implements Callable<Integer> {

        @Option(
                names = "--output-dir",
                paramLabel = "DIR",
                description =
                        "Write new files pools.yaml and tiers.yaml into this directory. Default: standard output.")
        private @Nullable Path outputDirectory;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec command;

        /** Returns the source of the pools and tiers, for readers of the generated files. */
        abstract String source();

        abstract Result read(ImportRemarks remarks);

        @Override
        public Integer call() {
            var remarks = new ImportRemarks();
            var result = readOrAsk(remarks);
            write(ImportedManifests.pools(result, source()), ImportedManifests.tiers(result, source()));
            var err = command.commandLine().getErr();
            remarks.lines().forEach(err::println);
            err.flush();
            return result.pools().isEmpty() ? 1 : 0;
        }

        private Result readOrAsk(ImportRemarks remarks) {
            try {
                return read(remarks);
            } catch (MissingOptionsException e) {
                throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
            }
        }

        private void write(String pools, String tiers) {
            if (outputDirectory == null) {
                var out = command.commandLine().getOut();
                out.print(tiers.isEmpty() ? pools : pools + "---\n" + tiers);
                out.flush();
                return;
            }
            var files =
                    Map.of(outputDirectory.resolve("pools.yaml"), pools, outputDirectory.resolve("tiers.yaml"), tiers);
            for (var file : files.keySet()) {
                if (Files.exists(file)) {
                    throw new IllegalArgumentException(
                            "--output-dir: %s already exists; name another directory".formatted(file));
                }
            }
            var begun = new ArrayList<Path>();
            try {
                Files.createDirectories(outputDirectory);
                for (var file : files.entrySet()) {
                    begun.add(Files.createFile(file.getKey()));
                    Files.writeString(file.getKey(), file.getValue(), StandardCharsets.UTF_8);
                }
            } catch (IOException e) {
                // A partly written file would look complete, and would block the next attempt.
                begun.stream().map(Path::toFile).forEach(File::delete);
                throw new IllegalArgumentException(
                        "--output-dir: %s cannot be written to: %s".formatted(outputDirectory, e.getMessage()), e);
            }
        }
    }

    /** The flags that imports of Azure clusters share. The flags add or replace values of the imported file, which defines the cluster. */
    abstract static class AzureImport extends Import {

        // Not declared as required, so that the import can report all missing flags, including --name-suffix, in one
        // message.
        @Option(
                names = "--subscription-id",
                paramLabel = "ID",
                description = "The Azure subscription of the cluster. Required.")
        @Nullable
        String subscription;

        @Option(
                names = {"-g", "--resource-group"},
                paramLabel = "NAME",
                description = "The resource group of the cluster's machines. Required.")
        @Nullable
        String resourceGroup;

        @Option(
                names = "--name-suffix",
                paramLabel = "DIGITS",
                description = "The digits in the names of the cluster's machines, such as 12345678 in "
                        + "k8s-agentpool1-12345678-0. Default: the digits in the file.")
        @Nullable
        String suffix;

        @Parameters(paramLabel = "FILE", arity = "1")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        Path file;

        @Override
        String source() {
            return String.valueOf(file.getFileName());
        }
    }

    /** {@code trainyard import acs-engine}. */
    @Command(
            name = "acs-engine",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Writes pools and tiers for a cluster of acs-engine: from apimodel.json, or from azuredeploy.parameters.json.",
                "Settings that cannot be imported are listed on standard error, with advice. Calls no cloud.",
                "Exit codes: 0, at least one pool is usable; 1, no pool is usable, or the file cannot be read; 2, wrong usage."
            })
    static final class AcsEngine extends AzureImport {
        @Override
        Result read(ImportRemarks remarks) {
            return Imports.acsEngine(
                    file,
                    Optional.ofNullable(subscription),
                    Optional.ofNullable(resourceGroup),
                    Optional.ofNullable(suffix),
                    remarks);
        }
    }

    /** {@code trainyard import aks-engine}. */
    @Command(
            name = "aks-engine",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Writes pools and tiers for a cluster of aks-engine: from apimodel.json, with its cluster-autoscaler add-on.",
                "Settings that cannot be imported are listed on standard error, with advice. Calls no cloud.",
                "Exit codes: 0, at least one pool is usable; 1, no pool is usable, or the file cannot be read; 2, wrong usage."
            })
    static final class AksEngine extends AzureImport {
        @Override
        Result read(ImportRemarks remarks) {
            return Imports.aksEngine(
                    file,
                    Optional.ofNullable(subscription),
                    Optional.ofNullable(resourceGroup),
                    Optional.ofNullable(suffix),
                    remarks);
        }
    }

    /** {@code trainyard import kops}. */
    @Command(
            name = "kops",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Writes pools and tiers for the InstanceGroups of a kops cluster, from the output of `kops get instancegroups -o yaml`.",
                "Settings that cannot be imported are listed on standard error, with advice. Calls no cloud.",
                "Exit codes: 0, at least one pool is usable; 1, no pool is usable, or the file cannot be read; 2, wrong usage."
            })
    static final class Kops extends Import {

        @Option(
                names = "--cluster-name",
                paramLabel = "NAME",
                description = "The name of the cluster in kops. Default: the label kops.k8s.io/cluster of the groups.")
        private @Nullable String cluster;

        @Option(
                names = "--region",
                paramLabel = "NAME",
                description = "The AWS region. Default: the region of the groups' zones.")
        private @Nullable String region;

        @Parameters(paramLabel = "FILE", arity = "1")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private Path file;

        @Override
        String source() {
            return String.valueOf(file.getFileName());
        }

        @Override
        Result read(ImportRemarks remarks) {
            return Imports.kops(file, Optional.ofNullable(cluster), Optional.ofNullable(region), remarks);
        }
    }

    /** {@code trainyard import cluster-autoscaler}. */
    @Command(
            name = "cluster-autoscaler",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Writes pools and tiers for the groups of Kubernetes' cluster autoscaler. Reads the "
                        + "autoscaler's manifest or a file with its flags, and the output of",
                "`aws autoscaling describe-auto-scaling-groups`, `describe-launch-configurations`,",
                "`aws ec2 describe-launch-template-versions` and `az vmss list`. Each file is recognised by its content.",
                "Settings that cannot be imported are listed on standard error, with advice. Calls no cloud.",
                "Exit codes: 0, at least one pool is usable; 1, no pool is usable, or a file cannot be read; 2, wrong usage."
            })
    static final class ClusterAutoscaler extends Import {

        @Parameters(paramLabel = "FILE", arity = "1..*")
        private List<Path> files = List.of();

        @Override
        String source() {
            return files.stream()
                    .map(file -> String.valueOf(file.getFileName()))
                    .collect(Collectors.joining(" and "));
        }

        @Override
        Result read(ImportRemarks remarks) {
            return Imports.clusterAutoscaler(files, remarks);
        }
    }

    /** {@code trainyard import aws}. */
    @Command(
            name = "aws",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Writes pools and tiers for the Auto Scaling groups whose tags name a cluster: tags of kops, EKS, the cluster autoscaler",
                "and older autoscalers. Reads from AWS with the credentials of the environment, and changes nothing there.",
                "Skipped groups are reported on standard error, with the reason.",
                "Exit codes: 0, at least one pool is usable; 1, no pool is usable, or AWS does not answer; 2, wrong usage."
            })
    static final class Aws extends Import {

        @Option(names = "--region", paramLabel = "NAME", required = true, description = "The AWS region of the groups.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String region;

        @Option(
                names = "--cluster-name",
                paramLabel = "NAME",
                required = true,
                description =
                        "The cluster's name in the groups' tags: KubernetesCluster=NAME, kubernetes.io/cluster/NAME or "
                                + "k8s.io/cluster-autoscaler/NAME.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String cluster;

        @Override
        String source() {
            return region;
        }

        @Override
        Result read(ImportRemarks remarks) {
            return Imports.aws(region, cluster, remarks);
        }
    }
}
