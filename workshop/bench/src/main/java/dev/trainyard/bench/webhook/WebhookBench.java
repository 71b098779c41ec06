package dev.trainyard.bench.webhook;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Generator;
import dev.trainyard.bench.load.Target;
import dev.trainyard.bench.measure.Contender;
import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.bench.measure.Rounds;
import dev.trainyard.bench.measure.WarmUpDetector;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.Server;
import dev.trainyard.bench.process.ServerCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A benchmark that compares a new webhook process with a minimal server, the {@link Floor}. The webhook starts as in production, but reads
 * its tiers from a file. All traffic is on loopback.
 */
public final class WebhookBench implements AutoCloseable {

    private static final String TIERS = "tiers.yaml";
    private static final String PATH = "/mutate";
    private static final String READY = "webhook ready on ";
    private static final int WARM_UP_CONNECTIONS = 16;

    private final WebhookBenchOptions options;
    private final Consumer<String> progress;
    private final BenchProcesses site = new BenchProcesses();
    private final Generator generator = new Generator();

    /** @param progress receives progress messages, one line each */
    public WebhookBench(WebhookBenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs all measurements that the options select.
     *
     * @throws BenchException if a server does not start, or answers wrongly
     */
    public WebhookReport run() {
        progress.accept("starting the webhook and the floor");
        var webhook = startWebhook("webhook");
        recordAnswers(webhook);
        var floor = startFloor();
        var comparisons = new ArrayList<WebhookComparison>();
        warmUp(webhook, floor);
        for (int bytes : options.bodies()) {
            for (var kind : ReviewKind.values()) {
                for (int connections : options.connections()) {
                    progress.accept(
                            "%d KiB, %s pods, %d connections".formatted(bytes / 1024, kind.word(), connections));
                    comparisons.add(compare(webhook, floor, kind, bytes, connections));
                }
            }
        }
        var residentAfterLoad = webhook.residentBytes();
        webhook.close();
        floor.close();
        return new WebhookReport(
                MachineDescription.inWords(),
                ServerCommand.options(options.jvm()),
                options.rounds(),
                options.round().toMillis() / 1000.0,
                comparisons,
                residentAfterLoad,
                starts());
    }

    private Server startWebhook(String name) {
        var resources = site.directory("resources").resolve(TIERS);
        try (InputStream tiers = Objects.requireNonNull(WebhookBench.class.getResourceAsStream(TIERS), TIERS)) {
            if (!Files.exists(resources)) {
                Files.copy(tiers, resources);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return site.start(
                name,
                ServerCommand.of(
                        options.jvm(),
                        options.webhook(),
                        "--resources=" + resources,
                        "--tls-dir=" + site.directory(name + "-tls"),
                        "--listen=127.0.0.1:0",
                        "--drain=0"),
                READY);
    }

    private Server startFloor() {
        return site.start(
                "floor",
                ServerCommand.of(
                        options.jvm(),
                        List.of(Floor.class.getName()),
                        site.directory("floor-tls").toString(),
                        site.directory("answers").toString()),
                Floor.READY);
    }

    /** Sends each review once to the webhook, checks the answer, and stores it for the floor. */
    private void recordAnswers(Server webhook) {
        for (int bytes : options.bodies()) {
            for (var kind : ReviewKind.values()) {
                try (var connection = open(webhook(webhook, "webhook"), PATH, ReviewGenerator.of(kind, bytes), 1)) {
                    var answer = connection.ask();
                    expect(kind, answer);
                    Files.write(site.directory("answers").resolve(name(kind, bytes) + ".json"), answer);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** Checks an answer. Without this check, a webhook that returns errors, or changes no pod, would count as fast. */
    private static void expect(ReviewKind kind, byte[] answer) {
        var text = new String(answer, StandardCharsets.UTF_8);
        boolean allowed = text.contains("\"allowed\":true");
        boolean patched = text.contains("\"patch\":");
        if (!allowed || patched != (kind == ReviewKind.MUTATED)) {
            throw new BenchException("the webhook answered wrongly for a pod that must be %s; the answer is: %s"
                    .formatted(kind.word(), text));
        }
    }

    private void warmUp(Server webhook, Server floor) {
        int bytes = options.bodies().get(0);
        for (var kind : ReviewKind.values()) {
            progress.accept("warming up with %s pods".formatted(kind.word()));
            var review = ReviewGenerator.of(kind, bytes);
            try (var toFloor = open(floor(floor), path(kind, bytes), review, WARM_UP_CONNECTIONS);
                    var toWebhook = open(webhook(webhook, "webhook"), PATH, review, WARM_UP_CONNECTIONS)) {
                WarmUpDetector.reach(toFloor, options.round(), options.warmUp());
                WarmUpDetector.reach(toWebhook, options.round(), options.warmUp());
            }
            webhook.forgetLog();
        }
    }

    private WebhookComparison compare(Server webhook, Server floor, ReviewKind kind, int bytes, int count) {
        var body = ReviewGenerator.of(kind, bytes);
        try (var toFloor = open(floor(floor), path(kind, bytes), body, count);
                var toWebhook = open(webhook(webhook, "webhook"), PATH, body, count)) {
            var rounds = Rounds.inTurns(
                    new Contender(webhook, toWebhook),
                    new Contender(floor, toFloor),
                    options.rounds(),
                    options.round());
            return WebhookComparison.of(bytes, kind, count, rounds);
        }
    }

    /**
     * Measures starts of the webhook, while no other server runs. The JVM of the benchmark is already warm, so its own warm-up is not
     * measured.
     */
    private List<Start> starts() {
        var starts = new ArrayList<Start>();
        var review = ReviewGenerator.of(ReviewKind.MUTATED, options.bodies().get(0));
        for (int i = 0; i < options.starts(); i++) {
            progress.accept("measuring start %d of %d".formatted(i + 1, options.starts()));
            var name = "start-" + i;
            try (var webhook = startWebhook(name)) {
                var resident = webhook.residentBytes();
                long before = System.nanoTime();
                try (var connection = open(webhook(webhook, name), PATH, review, 1)) {
                    long open = System.nanoTime();
                    expect(ReviewKind.MUTATED, connection.ask());
                    long answered = System.nanoTime();
                    starts.add(new Start(
                            webhook.startedIn().toNanos() / 1e6,
                            resident,
                            (open - before) / 1e6,
                            (answered - open) / 1e6));
                }
            }
        }
        return starts;
    }

    private Connections open(Target target, String path, byte[] review, int count) {
        return generator.open(target, target.request(path, review), count);
    }

    private Target webhook(Server server, String name) {
        return new Target(server.port(), ca(name + "-tls"), null);
    }

    private Target floor(Server server) {
        return new Target(server.port(), ca("floor-tls"), null);
    }

    private static String path(ReviewKind kind, int bytes) {
        return "/" + name(kind, bytes);
    }

    private String ca(String tlsDirectory) {
        try {
            return Files.readString(site.directory(tlsDirectory).resolve("ca.crt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(ReviewKind kind, int bytes) {
        return kind.word() + "-" + bytes;
    }

    @Override
    public void close() {
        site.close();
        generator.close();
    }
}
