package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.preview.Preview;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trainyard mutate}. */
@Command(
        name = "mutate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints pods, and objects with pod templates such as Jobs, with the changes that the webhook would make. Changes nothing.",
            "The webhook's messages go to standard error.",
            "Exit codes: 0, every pod would be admitted; 1, a pod would be refused, by the webhook or by the API server;",
            "2, wrong usage; 3, no result, because a file is missing or broken, the cluster cannot be read, or the output",
            "cannot be written."
        },
        exitCodeOnExecutionException = 3)
public final class MutateCommand implements Callable<Integer> {

    /** The format of the webhook's changes. */
    enum Output {
        YAML,
        DIFF
    }

    private static final JsonPointer NAME = JsonPointer.compile("/metadata/name");
    private static final String STANDARD_INPUT = "-";
    private static final String DEFAULT_NAMESPACE = "default";
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            required = true,
            description =
                    "Files with pods, Jobs and other objects, in YAML or JSON; - is standard input. May be repeated.")
    private List<String> files = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "yaml|diff",
            defaultValue = "yaml",
            description = "yaml: the changed objects; diff: only the changes. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Output output;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAME",
            description = "The namespace of objects that state none. Default: the namespace of the kubeconfig; with "
                    + "--resources, the namespace default.")
    private @Nullable String namespace;

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            description = "Files with pools, tiers and, if needed, namespaces. Default: the objects in the cluster.")
    private @Nullable Path resources;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "The kubeconfig file of the cluster, which is only read. Default: the cluster that kubectl would use.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--gpu-alias",
            paramLabel = "NAME",
            description = "Another resource name that pods use to request GPUs; may be repeated.")
    private List<String> aliases = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() {
        if (namespace != null && !NAMESPACE.matcher(namespace).matches()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--namespace: '%s' is not the name of a namespace; expected lower-case letters, digits and dashes, such as research"
                            .formatted(namespace));
        }
        var objects = objects();
        if (resources != null) {
            return show(objects, namespace == null ? DEFAULT_NAMESPACE : namespace, ResourceFiles.read(resources));
        }
        try (var cluster = ClusterResources.open(kubeconfig)) {
            var inNamespace = namespace == null ? cluster.namespace() : namespace;
            var namespaces = objects.stream()
                    .map(object -> Preview.namespaceOf(object, inNamespace))
                    .filter(name -> !namesOf(objects).contains(name))
                    .collect(Collectors.toSet());
            return show(
                    objects,
                    inNamespace,
                    cluster.read(namespaces, command.commandLine().getErr()::println));
        }
    }

    private List<ObjectNode> objects() {
        var objects = new ArrayList<ObjectNode>();
        for (var file : files) {
            var documents = file.equals(STANDARD_INPUT)
                    ? ResourceFiles.read("standard input", System.in).documents()
                    : ResourceFiles.read(Path.of(file)).documents();
            if (documents.isEmpty()) {
                throw new IllegalArgumentException("%s: no object found; expected a pod, a Job or the like"
                        .formatted(file.equals(STANDARD_INPUT) ? "standard input" : file));
            }
            documents.stream().map(Document::object).map(ObjectNode.class::cast).forEach(objects::add);
        }
        return objects;
    }

    /**
     * Returns {@code configuration} plus the Namespace objects in {@code objects}. A Namespace in {@code objects} replaces the one of the
     * same name in {@code configuration}.
     */
    private static ResourceFiles withNamespaces(ResourceFiles configuration, List<ObjectNode> objects) {
        var written = namesOf(objects);
        var documents = new ArrayList<>(configuration.documents());
        documents.removeIf(document -> isNamespace(document.object())
                && written.contains(document.object().at(NAME).asText()));
        objects.stream()
                .filter(MutateCommand::isNamespace)
                .forEach(object -> documents.add(new Document(
                        "Namespace %s of the objects".formatted(object.at(NAME).asText()), object)));
        return new ResourceFiles(documents);
    }

    /** Returns the names of the namespaces among {@code objects}. */
    private static Set<String> namesOf(List<ObjectNode> objects) {
        return objects.stream()
                .filter(MutateCommand::isNamespace)
                .map(object -> object.at(NAME).asText())
                .collect(Collectors.toSet());
    }

    private static boolean isNamespace(JsonNode object) {
        return object.path("kind").asText().equals("Namespace");
    }

    private int show(List<ObjectNode> objects, String inNamespace, ResourceFiles configuration) {
        var out = command.commandLine().getOut();
        var err = command.commandLine().getErr();
        var catalogue = FileConfiguration.of(configuration).current();
        catalogue.problems().forEach(problem -> err.println("configuration: " + problem));
        var decider = new PodDecider(Names.NAMESPACE, GpuNames.with(aliases));
        var namespaces = FileNamespaces.of(withNamespaces(configuration, objects));
        boolean refused = false;
        for (var object : objects) {
            var preview = Preview.of(object, inNamespace, decider, catalogue, namespaces);
            preview.remarks().forEach(err::println);
            refused |= preview.refused();
            out.print(
                    output == Output.YAML
                            ? ObjectText.yaml(preview.object())
                            : ObjectText.diff(object, preview.object(), Ansi.AUTO.enabled()));
        }
        out.flush();
        err.flush();
        return refused ? 1 : 0;
    }
}
