package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.bench.measure.ReferenceServer;
import dev.trainyard.bench.webhook.ReviewKind;
import dev.trainyard.bench.webhook.WebhookBench;
import dev.trainyard.bench.webhook.WebhookBenchOptions;
import dev.trainyard.cli.Main;
import dev.trainyard.workshop.cluster.ServerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the benchmark produces measurements. Their values are not tested, because 0.1 s under load is too short. */
@Tag("slow")
class BenchWebhookTest {

    @Test
    void measuresTheWebhookBesideTheFloorAndItsStart() {
        var jvm = ServerJvm.command(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
        var webhook = List.of(Main.class.getName(), "webhook");
        var moment = Duration.ofMillis(100);
        var options = new WebhookBenchOptions(jvm, webhook, List.of(4096), List.of(2), 1, moment, moment, 1);
        var progress = new ArrayList<String>();

        try (var bench = new WebhookBench(options, progress::add)) {
            var report = bench.run();

            assertThat(report.comparisons())
                    .filteredOn(comparison -> comparison.beside() == ReferenceServer.FLOOR)
                    .extracting(comparison -> comparison.pod())
                    .containsExactly(ReviewKind.MUTATED, ReviewKind.UNTOUCHED);
            assertThat(report.comparisons()).allSatisfy(comparison -> {
                assertThat(comparison.webhook().requestsPerSecond()).isPositive();
                assertThat(comparison.baseline().requestsPerSecond()).isPositive();
            });
            assertThat(report.starts())
                    .singleElement()
                    .satisfies(start -> assertThat(start.readyMillis()).isPositive());
            boolean withoutGo = progress.stream().anyMatch(line -> line.startsWith("no comparison with Go: "));
            assertThat(report.comparisons()).hasSize(withoutGo ? 2 : 4);
            assertThat(report.goStarts()).hasSize(withoutGo ? 0 : 1);
        }
        assertThat(progress).contains("4 KiB, mutated pods, 2 connections");
    }
}
