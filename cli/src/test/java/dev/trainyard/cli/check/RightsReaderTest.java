package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests that each request for a right has its own timeout. */
class RightsReaderTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void anApiServerThatIsSlowForAllOfThemTogetherAnswersEach() throws IOException {
        int rights = NeededRights.of(CheckFixture.usual(), true, true).size();
        var rounds = Duration.ofMillis(150);
        assertThat(rounds.multipliedBy(rights)).isGreaterThan(Duration.ofSeconds(10));
        var held = read(review -> passes(rounds), Duration.ofSeconds(10));
        assertThat(held.value().orElseThrow())
                .hasSize(rights)
                .allMatch(right -> right.allowed().value().orElse(false));
    }

    @Test
    void whatIsNotAnsweredIsSaidAndCostsNoneOfTheOthers() throws IOException {
        var held = read(
                review -> {
                    boolean hangs = "bindings"
                                    .equals(review.getSpec()
                                            .getResourceAttributes()
                                            .getResource())
                            || "eviction"
                                    .equals(review.getSpec()
                                            .getResourceAttributes()
                                            .getSubresource());
                    return hangs && passes(Duration.ofMinutes(1));
                },
                Duration.ofSeconds(5));
        var world = new CheckFixture();
        world.rights = held;
        assertThat(world.errors()).isEmpty();
        assertThat(world.findings())
                .filteredOn(finding -> finding.contains(" rights: ") && !finding.startsWith("ok"))
                .singleElement()
                .asString()
                .startsWith(
                        "warning  rights: not checked: whether system:serviceaccount:trainyard-system:trainyard-scaler may create pods/eviction, 1 in all: no answer within 5000 ms; check again with a longer --timeout")
                .endsWith("#not-checked");
    }

    /** @param hangs whether the server does not answer a review */
    private ReadResult<List<RightAnswer>> read(Predicate<SubjectAccessReview> hangs, Duration timeout)
            throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, hangs));
        server.start();
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        try (var client = new KubernetesClientBuilder().withConfig(config).build();
                var probes = new Probes(timeout)) {
            var pools = CompletableFuture.completedFuture(ReadResult.of(List.of(CheckFixture.pool("spot", "1"))));
            var deployments = CompletableFuture.completedFuture(ReadResult.of(List.<Deployment>of()));
            return RightsReader.start(client, CheckFixture.usual(), probes, deployments, pools)
                    .join();
        } finally {
            never.countDown();
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private static void answer(HttpExchange exchange, Predicate<SubjectAccessReview> hangs) throws IOException {
        var review = JSON.readValue(exchange.getRequestBody(), SubjectAccessReview.class);
        if (hangs.test(review)) {
            exchange.close();
            return;
        }
        var answer = JSON.writeValueAsBytes(new SubjectAccessReviewBuilder(review)
                .withNewStatus()
                .withAllowed(true)
                .endStatus()
                .build());
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(201, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    /** Waits for {@code time}; returns true if the test ended before. */
    private boolean passes(Duration time) {
        try {
            return never.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
