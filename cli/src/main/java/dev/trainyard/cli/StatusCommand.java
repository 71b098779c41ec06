package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.StatusWatch.Place;
import dev.trainyard.core.Durations;
import dev.trainyard.runtime.kubernetes.ConnectionFailures;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.scaler.offline.ClusterStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trainyard status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints the state of a cluster: pools; machines, with the state of each and its reason; pending pods, with the reason.",
            "Needs only rights to read. The scaler need not run."
        })
public final class StatusCommand implements Callable<Integer> {

    /** The shortest interval, so that {@code --watch} does not overload the API server. */
    private static final Duration LEAST_INTERVAL = Duration.ofSeconds(2);

    /** The format of the status. */
    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "The kubeconfig file of the cluster, which is only read. Default: the cluster that kubectl would use.")
    private @Nullable Path kubeconfig;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Tables, or one JSON document. Default: ${DEFAULT-VALUE}.")
    private Output output = Output.TEXT;

    @Option(
            names = {"-w", "--watch"},
            description = "Print the status repeatedly until you press Ctrl-C. On a terminal, each status replaces the "
                    + "last one, cut to the screen. The API server answers from its cache, so the status may lag a "
                    + "little.")
    private boolean watch;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "The time between two outputs of --watch; at least 2s. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ofSeconds(5);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws InterruptedException {
        if (interval.compareTo(LEAST_INTERVAL) < 0) {
            throw new ParameterException(
                    command.commandLine(),
                    "--interval %s is too short, because each output reads all pods and nodes; expected at least %s"
                            .formatted(Durations.format(interval), Durations.format(LEAST_INTERVAL)));
        }
        var out = command.commandLine().getOut();
        try (var client = KubernetesClients.open(kubeconfig)) {
            if (watch) {
                watch(StatusReader.again(client), out);
            } else {
                print(client, out);
            }
        }
        return 0;
    }

    private void print(KubernetesClient client, PrintWriter out) {
        try {
            out.print(text(StatusReader.once(client).read(Instant.now())));
            out.flush();
        } catch (KubernetesClientException e) {
            if (e.getCode() > 0 && e.getCode() != HttpURLConnection.HTTP_UNAUTHORIZED) {
                throw e;
            }
            throw new IllegalArgumentException(ConnectionFailures.words(client.getConfiguration(), e), e);
        }
    }

    private void watch(StatusReader reader, PrintWriter out) throws InterruptedException {
        boolean inPlace = output == Output.TEXT && Terminal.canMoveItsCursor();
        StatusWatch.Status status = () -> {
            var standing = reader.read(Instant.now());
            return inPlace ? StatusText.of(standing, Terminal.size()) : text(standing);
        };
        new StatusWatch(status, out, inPlace ? Place.SAME : Place.NEXT).run(() -> {
            TimeUnit.NANOSECONDS.sleep(interval.toNanos());
            return true;
        });
    }

    /** Returns the status with a final line end. With {@code --watch}, each JSON document is one line, as programs expect of a stream. */
    private String text(ClusterStatus standing) {
        try {
            var json = new ObjectMapper();
            return output == Output.TEXT
                    ? StatusText.of(standing)
                    : (watch ? json.writer() : json.writerWithDefaultPrettyPrinter()).writeValueAsString(standing)
                            + System.lineSeparator();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a status cannot be written as JSON", e);
        }
    }
}
