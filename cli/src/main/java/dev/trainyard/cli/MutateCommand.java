package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.namespace.FileNamespaces;
import dev.trainyard.webhook.preview.Preview;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code trainyard mutate}. */
@Command(
        name = "mutate",
        mixinStandardHelpOptions = true,
        description = {
            "Prints pods, and objects with pod templates such as Jobs, as the webhook would leave them.",
            "What it would say goes to standard error. Exit code 1: a pod would be refused."
        })
public final class MutateCommand implements Callable<Integer> {

    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory()
            .disable(Feature.SPLIT_LINES)
            .enable(Feature.MINIMIZE_QUOTES)
            .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR));

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            required = true,
            description = "Pods, Jobs and other objects, in YAML or JSON.")
    private Path file = Path.of("");

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            required = true,
            description = "Pools, tiers and, where they matter, namespaces.")
    private Path resources = Path.of("");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var out = command.commandLine().getOut();
        var err = command.commandLine().getErr();
        var files = ResourceFiles.read(resources);
        var catalogue = FileConfiguration.of(files).current();
        catalogue.problems().forEach(problem -> err.println("configuration: " + problem));
        var decider = new PodDecider(Names.NAMESPACE);
        boolean refused = false;
        for (var document : ResourceFiles.read(file).documents()) {
            var preview = Preview.of((ObjectNode) document.object(), decider, catalogue, FileNamespaces.of(files));
            preview.remarks().forEach(remark -> err.println(document.place() + ": " + remark));
            refused |= preview.refused();
            out.print(YAML.writeValueAsString(preview.object()));
        }
        out.flush();
        return refused ? 1 : 0;
    }
}
