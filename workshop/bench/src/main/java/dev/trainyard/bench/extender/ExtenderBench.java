package dev.trainyard.bench.extender;

import dev.trainyard.bench.load.Call;
import dev.trainyard.bench.load.Connections;
import dev.trainyard.bench.load.Generator;
import dev.trainyard.bench.load.Load;
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
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.PemKeyPair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A benchmark that compares a new extender process with a minimal extender, the {@link ExtenderFloor}, and with the {@link GoPeer}. The
 * extender starts as in production, but reads its cluster from files. All traffic is on loopback.
 */
public final class ExtenderBench implements AutoCloseable {

    private static final String READY = "extender ready on ";
    private static final long SEED = 20_261_121;
    private static final int PODS = 64;
    private static final int COLD_CALLS = 50; // of each verb
    private static final double MICRO = 1e-3;

    private final ExtenderBenchOptions options;
    private final Consumer<String> progress;
    private final BenchProcesses site = new BenchProcesses();
    private final Generator generator = new Generator();
    private final GeneratedCluster fleet;

    /** A server with its address, its requests and the check of its answers. */
    private record Side(Server server, Target target, List<Call> series, AnswerCheck check) implements AutoCloseable {
        @Override
        public void close() {
            server.close();
        }
    }

    /** @param progress receives progress messages, one line each */
    public ExtenderBench(ExtenderBenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        this.fleet = new GeneratedCluster(options.nodes(), SEED);
    }

    /**
     * Runs all measurements that the options select.
     *
     * @throws BenchException if a server does not start, or answers wrongly
     */
    public ExtenderReport run() {
        var go = GoPeer.find(progress);
        fleet.write(site.directory("resources"));
        var comparisons = new ArrayList<ExtenderComparison>();
        var cold = new ArrayList<FirstCallLatencies>();
        for (int names : options.names()) {
            measure(names, go, comparisons, cold);
        }
        return new ExtenderReport(
                MachineDescription.inWords(),
                ServerCommand.options(options.jvm()),
                options.nodes(),
                options.rounds(),
                options.round().toMillis() / 1000.0,
                comparisons,
                cold);
    }

    /**
     * Measures calls with a given number of node names. Starts new processes, because a JVM optimises its code for the load that it had
     * before.
     */
    private void measure(
            int names, Optional<GoPeer> go, List<ExtenderComparison> comparisons, List<FirstCallLatencies> cold) {
        var questions = ExtenderRequestGenerator.of(fleet, names, PODS, SEED);
        progress.accept("%d names: starting the servers".formatted(names));
        var baselines = new TreeMap<ReferenceServer, Side>();
        try (var extender = startExtender("extender-" + names, questions)) {
            baselines.put(ReferenceServer.FLOOR, startFloor("floor-" + names, questions));
            go.ifPresent(peer -> baselines.put(ReferenceServer.GO, startGo("go-" + names, peer, questions)));
            progress.accept("%d names: measuring the first calls".formatted(names));
            cold.addAll(cold(names, extender, baselines));
            check(extender, questions);
            baselines.values().forEach(baseline -> check(baseline, questions));
            progress.accept("%d names: warming up".formatted(names));
            baselines.values().forEach(this::warmUp);
            warmUp(extender);
            for (int connections : options.connections()) {
                progress.accept("%d names, %d connections".formatted(names, connections));
                comparisons.addAll(compare(names, connections, extender, baselines));
            }
            check(extender, questions); // answers must still be correct after the load
        } finally {
            baselines.values().forEach(Side::close);
        }
    }

    private Side startExtender(String name, List<ExtenderRequests> questions) {
        var tls = site.directory(name + "-tls");
        var server = site.start(
                name,
                ServerCommand.of(
                        options.jvm(),
                        options.extender(),
                        "--resources=" + site.directory("resources"),
                        "--tls-dir=" + tls,
                        "--listen=127.0.0.1:0"),
                READY);
        return side(server, tls, questions, AnswerCheck.ofExtender());
    }

    private Side startFloor(String name, List<ExtenderRequests> questions) {
        var tls = site.directory(name + "-tls");
        var verbs = options.verbs().stream().map(Verb::name).collect(Collectors.joining(","));
        var server = site.start(
                name,
                ServerCommand.of(options.jvm(), List.of(ExtenderFloor.class.getName()), tls.toString(), verbs),
                ExtenderFloor.READY);
        return side(server, tls, questions, AnswerCheck.ofFloor());
    }

    private Side startGo(String name, GoPeer peer, List<ExtenderRequests> questions) {
        var tls = site.directory(name + "-tls");
        return side(peer.start(site, name, GoPeer.Part.EXTENDER, tls), tls, questions, AnswerCheck.ofGo());
    }

    private Side side(Server server, Path tls, List<ExtenderRequests> questions, AnswerCheck check) {
        var target = target(server, tls);
        return new Side(server, target, ExtenderRequestGenerator.series(questions, options.verbs(), target), check);
    }

    /** Returns a target with a client certificate from the server's own CA. The scheduler has such a certificate too. */
    private static Target target(Server server, Path tls) {
        try {
            var ca = new PemKeyPair(Files.readString(tls.resolve("ca.crt")), Files.readString(tls.resolve("ca.key")));
            var client = CertificateAuthority.load(ca)
                    .issue(
                            LeafRequest.forClient("trainyard-scheduler"),
                            Clock.systemUTC().instant());
            return new Target(server.port(), ca.certificatePem(), client);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Connections open(Side side, int count) {
        return generator.open(side.target(), side.series(), count);
    }

    private List<FirstCallLatencies> cold(int names, Side extender, SortedMap<ReferenceServer, Side> baselines) {
        var ofBaselines = new TreeMap<ReferenceServer, Load>();
        baselines.forEach((beside, baseline) -> ofBaselines.put(beside, firstCalls(baseline)));
        var ofExtender = firstCalls(extender);
        return ofBaselines.entrySet().stream()
                .flatMap(baseline -> options.verbs().stream()
                        .map(verb -> cold(names, verb, ofExtender, baseline.getKey(), baseline.getValue())))
                .toList();
    }

    private Load firstCalls(Side side) {
        try (var connection = open(side, 1)) {
            return connection.run(COLD_CALLS * options.verbs().size());
        }
    }

    private static FirstCallLatencies cold(int names, Verb verb, Load extender, ReferenceServer beside, Load baseline) {
        var ofExtender = extender.latencies(verb.word());
        var ofBaseline = baseline.latencies(verb.word());
        return new FirstCallLatencies(
                beside,
                names,
                verb,
                ofExtender.getTotalCount(),
                ofExtender.getValueAtPercentile(50) * MICRO,
                ofBaseline.getValueAtPercentile(50) * MICRO,
                ofExtender.getMaxValue() * MICRO,
                ofBaseline.getMaxValue() * MICRO);
    }

    private void check(Side side, List<ExtenderRequests> questions) {
        try (var connection = open(side, 1)) {
            for (var question : questions) {
                for (var verb : options.verbs()) {
                    side.check().check(question, verb, connection.ask());
                }
            }
        }
    }

    private void warmUp(Side side) {
        try (var connection = open(side, 1)) {
            WarmUpDetector.reach(connection, options.round(), options.warmUp());
        }
    }

    private List<ExtenderComparison> compare(
            int names, int count, Side extender, SortedMap<ReferenceServer, Side> baselines) {
        return Rounds.inTurns(
                        extender,
                        baselines,
                        side -> new Contender(side.server(), open(side, count)),
                        options.rounds(),
                        options.round())
                .stream()
                .map(rounds -> ExtenderComparison.of(names, count, options.verbs(), rounds))
                .toList();
    }

    @Override
    public void close() {
        site.close();
        generator.close();
    }
}
