package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.measure.MetricHistogram;
import dev.trainyard.bench.measure.MetricsPage;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.Server;
import dev.trainyard.bench.process.ServerCommand;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.PemKeyPair;
import dev.trainyard.local.process.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/** An extender process, started as in production. */
final class ExtenderProcess implements AutoCloseable {

    private static final String READY = "extender ready on ";

    private final Server server;
    private final URI metrics;
    private final Path schedulerTls;

    private ExtenderProcess(Server server, URI metrics, Path schedulerTls) {
        this.server = server;
        this.metrics = metrics;
        this.schedulerTls = schedulerTls;
    }

    /** Starts an extender, and returns when it has read all nodes and pools. */
    static ExtenderProcess start(SchedulerBenchOptions options, BenchProcesses site, Path kubeconfig, String name) {
        var tls = site.directory(name + "-tls");
        int operations = FreePort.onLoopback();
        var server = site.start(
                name,
                ServerCommand.of(
                        options.jvm(),
                        options.extender(),
                        "--kubeconfig=" + kubeconfig,
                        "--tls-dir=" + tls,
                        "--listen=127.0.0.1:0",
                        "--operations-listen=127.0.0.1:" + operations),
                READY);
        var schedulerTls = site.directory(name + "-scheduler-tls");
        issue(tls, schedulerTls);
        return new ExtenderProcess(
                server, URI.create("http://127.0.0.1:%d/metrics".formatted(operations)), schedulerTls);
    }

    int port() {
        return server.port();
    }

    /** Returns the directory of the scheduler's client certificate and of the CA that verifies the extender. */
    Path schedulerTls() {
        return schedulerTls;
    }

    Duration cpu() {
        return server.cpu();
    }

    /** Returns the durations of all calls to a path so far. */
    MetricHistogram calls(String path) {
        return MetricHistogram.answered(MetricsPage.read(metrics), path);
    }

    @Override
    public void close() {
        server.close();
    }

    /** Issues the scheduler's client certificate from the extender's own CA. */
    private static void issue(Path ca, Path scheduler) {
        try {
            var pair = new PemKeyPair(Files.readString(ca.resolve("ca.crt")), Files.readString(ca.resolve("ca.key")));
            var leaf = CertificateAuthority.load(pair)
                    .issue(
                            LeafRequest.forClient("trainyard-scheduler"),
                            Clock.systemUTC().instant());
            Files.writeString(scheduler.resolve("ca.crt"), pair.certificatePem());
            Files.writeString(scheduler.resolve("tls.crt"), leaf.certificatePem());
            Files.writeString(scheduler.resolve("tls.key"), leaf.keyPem());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
