package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Survey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code trainyard status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints how things stand in a cluster: pools, their machines and what each of these is there for, and pods that wait, with the reason.",
            "Needs no more than the right to read, and no scaler that runs."
        })
public final class StatusCommand implements Callable<Integer> {

    /** For people or for programs. */
    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the cluster, which is only read. Default: as kubectl would.")
    private @Nullable Path kubeconfig;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Tables, or one JSON document. Default: ${DEFAULT-VALUE}.")
    private Output output = Output.TEXT;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        Standing standing;
        try (var client = KubernetesClients.open(kubeconfig)) {
            standing = read(client, Instant.now());
        }
        var out = command.commandLine().getOut();
        if (output == Output.JSON) {
            out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(standing));
        } else {
            out.print(StandingText.of(standing));
        }
        out.flush();
        return 0;
    }

    /** @throws KubernetesClientException when the cluster cannot be reached, or pods, nodes or pools may not be read */
    static Standing read(KubernetesClient client, Instant now) {
        var remarks = new ArrayList<String>();
        var pools = client.resources(TrainingPool.class).list().getItems();
        var tiers = client.resources(TrainingTier.class).list().getItems();
        var objects = new KubernetesObjects(
                client.pods().inAnyNamespace().list().getItems(),
                client.nodes().list().getItems(),
                ifAllowed(
                        "DaemonSets",
                        () -> client.apps().daemonSets().inAnyNamespace().list().getItems(),
                        remarks),
                ifAllowed(
                        "PodDisruptionBudgets",
                        () -> client.policy()
                                .v1()
                                .podDisruptionBudget()
                                .inAnyNamespace()
                                .list()
                                .getItems(),
                        remarks));
        return Survey.of(now, Catalogues.of(pools, tiers), pools, objects, remarks);
    }

    /** What makes reasons more exact, and is not worth failing for. */
    private static <T> List<T> ifAllowed(String what, Supplier<List<T>> list, List<String> remarks) {
        try {
            return list.get();
        } catch (KubernetesClientException e) {
            if (e.getCode() <= 0) {
                throw e;
            }
            remarks.add("%s may not be read, so that reasons are told without them".formatted(what));
            return List.of();
        }
    }
}
