package dev.trainyard.bench.webhook;

import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Generator;
import dev.trainyard.bench.load.Target;
import dev.trainyard.bench.measure.Contender;
import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.bench.measure.ReferenceServer;
import dev.trainyard.bench.measure.Rounds;
import dev.trainyard.bench.measure.WarmUpDetector;
import dev.trainyard.bench.peer.GoPeer;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.Server;
import dev.trainyard.bench.process.ServerCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A benchmark that compares a new webhook process with a minimal server, the {@link Floor}, and with the {@link GoPeer}. The webhook starts
 * as in production, but reads its tiers from a file. All traffic is on loopback.
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

    /**
     * A server with its address.
     *
     * @param prepared whether the server has a path for each prepared answer; else all reviews go to the path of the webhook
     */
    private record Side(Server server, Target target, boolean prepared) implements AutoCloseable {
        String path(ReviewKind kind, int bytes) {
            return prepared ? "/" + name(kind, bytes) : PATH;
        }

        @Override
        public void close() {
            server.close();
        }
    }

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
        var go = GoPeer.find(progress);
        progress.accept("starting the servers");
        var webhook = startWebhook("webhook");
        recordAnswers(webhook);
        var baselines = new TreeMap<ReferenceServer, Side>();
        baselines.put(ReferenceServer.FLOOR, startFloor());
        var peer = go.map(program -> startGo(program, "go"));
        peer.ifPresent(side -> {
            checkAnswers(side);
            baselines.put(ReferenceServer.GO, side);
        });
        var comparisons = new ArrayList<WebhookComparison>();
        warmUp(webhook, baselines);
        for (int bytes : options.bodies()) {
            for (var kind : ReviewKind.values()) {
                for (int connections : options.connections()) {
                    progress.accept(
                            "%d KiB, %s pods, %d connections".formatted(bytes / 1024, kind.word(), connections));
                    comparisons.addAll(compare(webhook, baselines, kind, bytes, connections));
                }
            }
        }
        var residentAfterLoad = webhook.server().residentBytes();
        var goResidentAfterLoad =
                peer.map(side -> side.server().residentBytes()).orElse(null);
        webhook.close();
        baselines.values().forEach(Side::close);
        return new WebhookReport(
                MachineDescription.inWords(),
                ServerCommand.options(options.jvm()),
                options.rounds(),
                options.round().toMillis() / 1000.0,
                comparisons,
                residentAfterLoad,
                goResidentAfterLoad,
                starts("webhook", this::startWebhook),
                go.map(program -> starts("Go", name -> startGo(program, name))).orElse(List.of()));
    }

    private Side startWebhook(String name) {
        var resources = site.directory("resources").resolve(TIERS);
        try (InputStream tiers = Objects.requireNonNull(WebhookBench.class.getResourceAsStream(TIERS), TIERS)) {
            if (!Files.exists(resources)) {
                Files.copy(tiers, resources);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var tls = site.directory(name + "-tls");
        var server = site.start(
                name,
                ServerCommand.of(
                        options.jvm(),
                        options.webhook(),
                        "--resources=" + resources,
                        "--tls-dir=" + tls,
                        "--listen=127.0.0.1:0",
                        "--drain=0"),
                READY);
        return new Side(server, target(server, tls), false);
    }

    private Side startFloor() {
        var tls = site.directory("floor-tls");
        var server = site.start(
                "floor",
                ServerCommand.of(
                        options.jvm(),
                        List.of(Floor.class.getName()),
                        tls.toString(),
                        site.directory("answers").toString()),
                Floor.READY);
        return new Side(server, target(server, tls), true);
    }

    private Side startGo(GoPeer peer, String name) {
        var tls = site.directory(name + "-tls");
        var server = peer.start(site, name, GoPeer.Part.WEBHOOK, tls);
        return new Side(server, target(server, tls), false);
    }

    /** Sends each review once to the webhook, checks the answer, and stores it for the floor. */
    private void recordAnswers(Side webhook) {
        for (int bytes : options.bodies()) {
            for (var kind : ReviewKind.values()) {
                var answer = answer(webhook, kind, bytes);
                expect(kind, answer);
                try {
                    Files.write(recorded(kind, bytes), answer);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** Checks that the Go peer's answers leave the same pods as the webhook's. */
    private void checkAnswers(Side go) {
        for (int bytes : options.bodies()) {
            for (var kind : ReviewKind.values()) {
                var review = ReviewGenerator.of(kind, bytes);
                var answer = answer(go, kind, bytes);
                expect(kind, answer);
                try {
                    var expected = ReviewedPod.of(review, Files.readAllBytes(recorded(kind, bytes)));
                    var found = ReviewedPod.of(review, answer);
                    if (!found.equals(expected)) {
                        throw new BenchException(
                                "the Go peer's patch leaves another pod than the webhook's; expected: %s; found: %s"
                                        .formatted(expected, found));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private byte[] answer(Side side, ReviewKind kind, int bytes) {
        try (var connection = open(side, kind, bytes, 1)) {
            return connection.ask();
        }
    }

    private Path recorded(ReviewKind kind, int bytes) {
        return site.directory("answers").resolve(name(kind, bytes) + ".json");
    }

    /** Checks an answer. Without this check, a server that returns errors, or changes no pod, would count as fast. */
    private static void expect(ReviewKind kind, byte[] answer) {
        var text = new String(answer, StandardCharsets.UTF_8);
        boolean allowed = text.contains("\"allowed\":true");
        boolean patched = text.contains("\"patch\":");
        if (!allowed || patched != (kind == ReviewKind.MUTATED)) {
            throw new BenchException("a server answered wrongly for a pod that must be %s; the answer is: %s"
                    .formatted(kind.word(), text));
        }
    }

    private void warmUp(Side webhook, SortedMap<ReferenceServer, Side> baselines) {
        int bytes = options.bodies().get(0);
        for (var kind : ReviewKind.values()) {
            progress.accept("warming up with %s pods".formatted(kind.word()));
            baselines.values().forEach(baseline -> warmUp(baseline, kind, bytes));
            warmUp(webhook, kind, bytes);
        }
    }

    private void warmUp(Side side, ReviewKind kind, int bytes) {
        try (var connection = open(side, kind, bytes, WARM_UP_CONNECTIONS)) {
            WarmUpDetector.reach(connection, options.round(), options.warmUp());
        }
        side.server().forgetLog();
    }

    private List<WebhookComparison> compare(
            Side webhook, SortedMap<ReferenceServer, Side> baselines, ReviewKind kind, int bytes, int count) {
        return Rounds.inTurns(
                        webhook,
                        baselines,
                        side -> new Contender(side.server(), open(side, kind, bytes, count)),
                        options.rounds(),
                        options.round())
                .stream()
                .map(rounds -> WebhookComparison.of(bytes, kind, count, rounds))
                .toList();
    }

    /**
     * Measures starts of a server, while no other server runs. The JVM of the benchmark is already warm, so its own warm-up is not
     * measured.
     *
     * @param start starts the server with a given name
     */
    private List<Start> starts(String what, Function<String, Side> start) {
        var starts = new ArrayList<Start>();
        for (int i = 0; i < options.starts(); i++) {
            progress.accept("measuring start %d of %d of %s".formatted(i + 1, options.starts(), what));
            try (var side = start.apply("%s-start-%d".formatted(what, i))) {
                var resident = side.server().residentBytes();
                long before = System.nanoTime();
                try (var connection =
                        open(side, ReviewKind.MUTATED, options.bodies().get(0), 1)) {
                    long open = System.nanoTime();
                    expect(ReviewKind.MUTATED, connection.ask());
                    long answered = System.nanoTime();
                    starts.add(new Start(
                            side.server().startedIn().toNanos() / 1e6,
                            resident,
                            (open - before) / 1e6,
                            (answered - open) / 1e6));
                }
            }
        }
        return starts;
    }

    private Connections open(Side side, ReviewKind kind, int bytes, int count) {
        var request = side.target().request(side.path(kind, bytes), ReviewGenerator.of(kind, bytes));
        return generator.open(side.target(), request, count);
    }

    private static Target target(Server server, Path tls) {
        try {
            return new Target(server.port(), Files.readString(tls.resolve("ca.crt")), null);
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
