package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.StatusWatch.Place;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
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

    @Option(
            names = {"-w", "--watch"},
            description =
                    "Prints it again and again, until you press Ctrl-C: on a terminal in the same place, else one after the other.")
    private boolean watch;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "How long to wait before it is printed again, with --watch. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ofSeconds(5);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws InterruptedException {
        if (interval.isZero() || interval.isNegative()) {
            throw new IllegalArgumentException("--interval %s must be positive".formatted(interval));
        }
        var out = command.commandLine().getOut();
        try (var client = KubernetesClients.open(kubeconfig)) {
            if (watch) {
                var place = Ansi.AUTO.enabled() && output == Output.TEXT ? Place.SAME : Place.NEXT;
                new StatusWatch(() -> text(read(client, Instant.now())), out, place).run(() -> {
                    TimeUnit.NANOSECONDS.sleep(interval.toNanos());
                    return true;
                });
            } else {
                out.print(text(read(client, Instant.now())));
                out.flush();
            }
        }
        return 0;
    }

    /** With a line end. Of documents that follow each other each is one line, as programs read them. */
    private String text(Standing standing) {
        try {
            var json = new ObjectMapper();
            return output == Output.TEXT
                    ? StandingText.of(standing)
                    : (watch ? json.writer() : json.writerWithDefaultPrettyPrinter()).writeValueAsString(standing)
                            + System.lineSeparator();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a status cannot be written as JSON", e);
        }
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
