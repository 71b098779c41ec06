package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.scaler.offline.Offline;
import dev.trainyard.scaler.offline.Proposal;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.GpuNames;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code trainyard plan}. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints the scaler's plan for a cluster that files describe: which pools grow, which pods stay pending, "
                    + "which machines are removed, and why. Changes nothing and calls no API.",
            "Exit codes: 0, there is a plan, and objects that cannot be read are reported in the plan and on standard error;",
            "1, there is no plan, because a file is missing or broken; 2, wrong usage."
        })
public final class PlanCommand implements Callable<Integer> {

    private static final String STANDARD_INPUT = "-";

    /** The format of the plan. */
    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            required = true,
            description = "Files with pools, tiers, nodes, pods, Jobs and similar objects, disruption budgets, "
                    + "DaemonSets and namespaces, in YAML or JSON. Both manifests and the output of kubectl get are "
                    + "accepted; - is standard input. May be repeated.")
    private List<String> resources = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "A report for people, or one JSON document. Default: ${DEFAULT-VALUE}.")
    private Output output = Output.TEXT;

    @Option(
            names = "--now",
            paramLabel = "TIME",
            description = "The time of the plan, such as 2026-01-31T12:00:00Z, for reproducible output. Default: now.")
    private @Nullable Instant now;

    @Option(
            names = "--gpu-alias",
            paramLabel = "NAME",
            description = "Another resource name that pods use to request GPUs; may be repeated.")
    private List<String> aliases = List.of();

    @Option(
            names = "--priority-cutoff",
            paramLabel = "N",
            defaultValue = "" + Planner.DEFAULT_PRIORITY_CUTOFF,
            description =
                    "Plan no machines for pods of a lower priority, like the scaler's option of the same name. Default: ${DEFAULT-VALUE}.")
    private int priorityCutoff = Planner.DEFAULT_PRIORITY_CUTOFF;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var files = files();
        var admission = new WebhookAdmission(
                new PodDecider(Names.NAMESPACE, GpuNames.with(aliases)),
                FileNamespaces.of(files, (document, problem) -> {}));
        var proposal = Offline.propose(files, admission, now == null ? Instant.now() : now, priorityCutoff);
        print(proposal);
        return 0;
    }

    private ResourceFiles files() {
        var documents = new ArrayList<Document>();
        var needed = Offline.needed();
        for (var name : resources) {
            var read = name.equals(STANDARD_INPUT)
                    ? ResourceFiles.readAll("standard input", System.in, needed)
                    : ResourceFiles.readAll(Path.of(name), needed);
            documents.addAll(read.documents());
        }
        if (documents.isEmpty()) {
            throw new IllegalArgumentException("%s: no object found; expected TrainingPools, nodes, pods and the like"
                    .formatted(String.join(", ", resources)));
        }
        if (documents.stream().allMatch(document -> document.kind().isEmpty())) {
            throw new IllegalArgumentException(
                    "%s: %s".formatted(documents.get(0).place(), ResourceFiles.NO_KIND));
        }
        return new ResourceFiles(documents);
    }

    private void print(Proposal proposal) throws JsonProcessingException {
        var out = command.commandLine().getOut();
        var err = command.commandLine().getErr();
        proposal.problems().forEach(problem -> err.println("problem: " + problem));
        err.flush();
        out.print(
                output == Output.TEXT
                        ? PlanText.of(proposal)
                        : new ObjectMapper()
                                        .enable(SerializationFeature.INDENT_OUTPUT)
                                        .writeValueAsString(proposal)
                                + "\n");
        out.flush();
    }
}
