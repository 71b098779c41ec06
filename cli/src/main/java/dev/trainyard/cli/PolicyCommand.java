package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.policy.Policies;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code trainyard policy}. */
@Command(
        name = "policy",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints admission policies for Kubernetes 1.36 that replace the webhook.",
            "Settings of pools and tiers that the policies do not cover are listed on standard error."
        })
public final class PolicyCommand implements Callable<Integer> {

    // Literal blocks keep the CEL expressions of the policies readable.
    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory()
            .disable(Feature.SPLIT_LINES)
            .enable(Feature.MINIMIZE_QUOTES)
            .enable(Feature.LITERAL_BLOCK_STYLE)
            .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR));

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            required = true,
            description = "Files with pools and tiers.")
    private Path resources = Path.of("");

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description =
                    "The namespace that Trainyard runs in. Pods in it are not changed. Default: ${DEFAULT-VALUE}.")
    private String namespace = Names.NAMESPACE;

    @Option(
            names = "--gpu-alias",
            paramLabel = "NAME",
            description = "Another resource name that pods use to request GPUs; may be repeated.")
    private List<String> aliases = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var out = command.commandLine().getOut();
        var err = command.commandLine().getErr();
        var catalogue = FileConfiguration.of(ResourceFiles.read(resources)).current();
        catalogue.problems().forEach(problem -> err.println("configuration: " + problem));
        var policies = Policies.of(catalogue, namespace, GpuNames.with(aliases));
        policies.remarks().forEach(err::println);
        for (var object : policies.objects()) {
            out.print(YAML.writeValueAsString(object));
        }
        out.flush();
        return 0;
    }
}
