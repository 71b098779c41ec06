package dev.trainyard.bench.webhook;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Target;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.Server;
import dev.trainyard.bench.process.Site;
import dev.trainyard.bench.webhook.Figures.Round;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Measures a webhook of its own, as it is started in production but with tiers from a file, beside a {@link Floor}. On loopback only. */
public final class WebhookBench implements AutoCloseable {

    private static final String TIERS = "tiers.yaml";
    private static final String PATH = "/mutate";
    private static final String READY = "webhook ready on ";
    private static final int WARM_UP_CONNECTIONS = 16;

    private final WebhookBenchOptions options;
    private final Consumer<String> progress;
    private final Site site = new Site();
    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setEventLoopPoolSize(1)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));

    /** @param progress is told what is being done, a line at a time */
    public WebhookBench(WebhookBenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Measures all that the options ask for.
     *
     * @throws BenchException when a server does not start, or answers wrongly
     */
    public WebhookReport run() {
        progress.accept("starting the webhook and the floor");
        var webhook = startWebhook("webhook");
        recordAnswers(webhook);
        var floor = startFloor();
        var comparisons = new ArrayList<Comparison>();
        warmUp(webhook, floor);
        for (int bytes : options.bodies()) {
            for (var kind : PodKind.values()) {
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
                machine(),
                jvmOptions(),
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
                command(
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
                command(
                        List.of(Floor.class.getName()),
                        site.directory("floor-tls").toString(),
                        site.directory("answers").toString()),
                Floor.READY);
    }

    private List<String> command(List<String> what, String... arguments) {
        return Stream.of(options.jvm(), what, List.of(arguments))
                .flatMap(List::stream)
                .toList();
    }

    /** Asks the webhook each question once, checks the answer, and leaves it for the floor. */
    private void recordAnswers(Server webhook) {
        for (int bytes : options.bodies()) {
            for (var kind : PodKind.values()) {
                try (var connection =
                        Connections.open(vertx, webhook(webhook, "webhook"), Reviews.of(kind, bytes), 1)) {
                    var answer = connection.ask();
                    expect(kind, answer);
                    Files.write(site.directory("answers").resolve(name(kind, bytes) + ".json"), answer);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** A webhook that answers with an error, or leaves every pod as it is, would be fast. */
    private static void expect(PodKind kind, byte[] answer) {
        var text = new String(answer, StandardCharsets.UTF_8);
        boolean allowed = text.contains("\"allowed\":true");
        boolean patched = text.contains("\"patch\":");
        if (!allowed || patched != (kind == PodKind.MUTATED)) {
            throw new BenchException(
                    "the webhook answers to the review of a pod that is to be %s: %s".formatted(kind.word(), text));
        }
    }

    /**
     * The JVM makes code fast while it runs, the more slowly the less of the machine it gets. So each is kept under load until a round is
     * no longer much faster than the best before, for a time that has an end.
     */
    private void warmUp(Server webhook, Server floor) {
        int bytes = options.bodies().get(0);
        for (var kind : PodKind.values()) {
            progress.accept("warming up with %s pods".formatted(kind.word()));
            warmUp(floor(floor, kind, bytes), kind, bytes);
            warmUp(webhook(webhook, "webhook"), kind, bytes);
            webhook.forgetLog();
        }
    }

    private void warmUp(Target target, PodKind kind, int bytes) {
        var warmth = new Warmth(options.warmUp());
        try (var load = Connections.open(vertx, target, Reviews.of(kind, bytes), WARM_UP_CONNECTIONS)) {
            while (!warmth.isReached()) {
                warmth.add(load.run(options.round()));
            }
        }
    }

    private Comparison compare(Server webhook, Server floor, PodKind kind, int bytes, int count) {
        var ofWebhook = new ArrayList<Round>();
        var ofFloor = new ArrayList<Round>();
        var body = Reviews.of(kind, bytes);
        try (var toFloor = Connections.open(vertx, floor(floor, kind, bytes), body, count);
                var toWebhook = Connections.open(vertx, webhook(webhook, "webhook"), body, count)) {
            toFloor.run(options.round().dividedBy(4));
            toWebhook.run(options.round().dividedBy(4));
            for (int round = 0; round < options.rounds(); round++) {
                // Taking turns at being first, so that whatever grows or shrinks meets both alike.
                if (round % 2 == 0) {
                    ofFloor.add(measure(floor, toFloor));
                }
                ofWebhook.add(measure(webhook, toWebhook));
                if (round % 2 == 1) {
                    ofFloor.add(measure(floor, toFloor));
                }
                webhook.forgetLog();
            }
        }
        return Comparison.of(bytes, kind, count, ofWebhook, ofFloor);
    }

    private Round measure(Server server, Connections connections) {
        var before = server.cpu();
        var load = connections.run(options.round());
        return new Round(load, server.cpu().minus(before));
    }

    /** The machine is idle but for the webhook that starts; this JVM is warm, so that its own slowness does not count. */
    private List<Start> starts() {
        var starts = new ArrayList<Start>();
        var review = Reviews.of(PodKind.MUTATED, options.bodies().get(0));
        for (int i = 0; i < options.starts(); i++) {
            progress.accept("start %d of %d".formatted(i + 1, options.starts()));
            var name = "start-" + i;
            try (var webhook = startWebhook(name)) {
                var resident = webhook.residentBytes();
                long before = System.nanoTime();
                try (var connection = Connections.open(vertx, webhook(webhook, name), review, 1)) {
                    long open = System.nanoTime();
                    expect(PodKind.MUTATED, connection.ask());
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

    private Target webhook(Server server, String name) {
        return new Target(server.port(), PATH, ca(name + "-tls"));
    }

    private Target floor(Server server, PodKind kind, int bytes) {
        return new Target(server.port(), "/" + name(kind, bytes), ca("floor-tls"));
    }

    private String ca(String tlsDirectory) {
        try {
            return Files.readString(site.directory(tlsDirectory).resolve("ca.crt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(PodKind kind, int bytes) {
        return kind.word() + "-" + bytes;
    }

    private List<String> jvmOptions() {
        return options.jvm().stream().filter(option -> option.startsWith("-X")).toList();
    }

    private static String machine() {
        return "%d CPUs, %s %s, Java %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        System.getProperty("java.version"));
    }

    @Override
    public void close() {
        site.close();
        try {
            vertx.close().await(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            progress.accept("the load generator did not stop");
        }
    }
}
