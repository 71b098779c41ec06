package dev.trainyard.webhook.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.webhook.TrustingClient;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import dev.trainyard.webhook.decision.Samples;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fuzz test that sends mutated reviews to a webhook over HTTPS. It must answer each one, leak nothing and continue. Longer runs:
 *
 * <pre>mvn test -pl webhook -am -Dtest=EndpointFuzzTest -Dsurefire.failIfNoSpecifiedTests=false \
 *   -Dtrainyard.fuzz.requests=1000000 -Dtrainyard.fuzz.seed=7</pre>
 *
 * A body that caused a failure is left in {@code target/fuzz}; {@code -Dtrainyard.fuzz.body=FILE} sends it again.
 */
class EndpointFuzzTest {

    private static final int REQUESTS = Integer.getInteger("trainyard.fuzz.requests", 1600);
    private static final long SEED = Long.getLong("trainyard.fuzz.seed", 42);
    private static final String BODY = System.getProperty("trainyard.fuzz.body", "");
    private static final Path BROKEN = Path.of(System.getProperty("trainyard.root"), "webhook", "target", "fuzz");
    private static final int MOST_FAULTS = 10;
    private static final List<String> QUERIES = List.of(
            "?timeout=3s",
            "?timeout=10s",
            "",
            "?",
            "?timeout=",
            "?timeout=soon",
            "?timeout=%00%ff",
            "?timeout=9999999999h");

    /** The number of parts in which requests are sent. The first part fills caches; the heap is measured at the end of each part. */
    private static final int PARTS = 4;

    /**
     * The limit of the heap's growth in bytes per request, less than the length of most bodies. A cache grows in one part only, a leak in
     * every part.
     */
    private static final long GROWTH = 2 << 10;

    @TempDir
    private Path directory;

    private final LogCheck log = new LogCheck();
    private final List<String> faults = new ArrayList<>();
    private WebhookComponent webhook;
    private HttpClient client;

    @BeforeEach
    void start() throws Exception {
        // The examples and catalogue.yaml are joined in one file, because pods name tiers of both.
        var resources = directory.resolve("resources.yaml");
        try (var examples = Files.list(Samples.EXAMPLES)) {
            for (var file : (Iterable<Path>)
                    examples.filter(f -> f.toString().endsWith(".yaml")).sorted()::iterator) {
                append(resources, file);
            }
        }
        append(resources, Samples.GOLDEN.resolve("catalogue.yaml"));
        webhook = WebhookComponent.start(
                WebhookOptions.onLoopback(directory.resolve("tls")).withResources(resources), Clock.systemUTC());
        assertThat(webhook.awaitReady(Duration.ofSeconds(30))).isTrue();
        client = TrustingClient.of(webhook.caPem());
    }

    @AfterEach
    void stop() {
        webhook.close();
        log.close();
    }

    @Test
    void whateverIsSentIsAnsweredAndNothingGrows() throws Exception {
        if (!BODY.isEmpty()) {
            attempt(Files.readAllBytes(Path.of(BODY)), "", "replay");
            assertThat(faults).isEmpty();
            return;
        }
        var reviews = new FuzzReviews();
        int size = REQUESTS / PARTS;
        send(reviews, 0, size);
        var seriesBefore = series();
        var growth = new ArrayList<Long>();
        long before = usedHeap();
        for (int part = 1; part < PARTS; part++) {
            send(reviews, part * size, (part + 1) * size);
            long after = usedHeap();
            growth.add((after - before) / size);
            before = after;
        }

        assertThat(faults).as("seed %d, bodies in %s", SEED, BROKEN).isEmpty();
        assertThat(series()).isEqualTo(seriesBefore);
        assertThat(growth.stream().sorted().toList().get(growth.size() / 2))
                .as("bytes per request that the heap grew by, in the middle one of %s", growth)
                .isLessThan(GROWTH);
        assertThat(log.lines()).isLessThanOrEqualTo(2L * REQUESTS + 100);
    }

    /** Sends bodies that depend only on the seed and their number, so that each one can be made again without the earlier ones. */
    private void send(FuzzReviews reviews, int from, int until) throws Exception {
        for (int number = from; number < until && faults.size() < MOST_FAULTS; number++) {
            var random = new Random(SEED * 1_000_003 + number);
            var body = new Mutations(random, reviews).body();
            attempt(body, QUERIES.get(random.nextInt(QUERIES.size())), "seed-%d-body-%d".formatted(SEED, number));
        }
    }

    private void attempt(byte[] body, String query, String name) throws Exception {
        try {
            var stored = FuzzAnswers.check(body, post(body, query));
            if (stored.isPresent()) {
                var again = FuzzReviews.of(stored.get()).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
                assertThat(FuzzAnswers.check(again, post(again, query)))
                        .as("a second patch")
                        .isEmpty();
            }
            assertThat(log.takeWrong()).as("log").isEmpty();
        } catch (AssertionError | RuntimeException | IOException e) {
            Files.createDirectories(BROKEN);
            Files.write(BROKEN.resolve(name), body);
            faults.add(name + ": " + e);
        }
    }

    private HttpResponse<byte[]> post(byte[] body, String query) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(webhook.url() + query))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body))
                .build();
        return client.send(request, BodyHandlers.ofByteArray());
    }

    /**
     * Returns the names and labels of our time series. The values of statuses are left out, because chance decides which statuses have
     * occurred.
     */
    private Set<String> series() throws Exception {
        var url = URI.create("http://127.0.0.1:" + webhook.operationsPort().getAsInt() + "/metrics");
        var text = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                .body();
        return text.lines()
                .filter(line -> line.startsWith("trainyard_"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')).replaceAll("status=\"[24]\\d\\d\"", "status"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int collection = 0; collection < 3; collection++) {
            System.gc();
            var runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static void append(Path file, Path other) throws IOException {
        Files.writeString(
                file, "---\n" + Files.readString(other), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
