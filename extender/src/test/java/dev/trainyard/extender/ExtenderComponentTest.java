package dev.trainyard.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.HttpsClient;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.runtime.server.ServerException;
import dev.trainyard.runtime.server.ServerOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the whole extender over HTTPS on loopback, with nodes, pods, pools and tiers from files, and a scaler that only receives. */
class ExtenderComponentTest {

    private static final String POD = """
            {"metadata":{"name":"mnist","namespace":"default","uid":"1-2-3","annotations":{"trainyard.dev/tier":"heavy"}},
            "spec":{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}""";

    @TempDir
    private static Path directory;

    private static final BlockingQueue<UnplacedPod> REPORTS = new ArrayBlockingQueue<>(10);
    private static Vertx vertx;
    private static HttpsClient scheduler;
    private static ComponentServer scaler;
    private static ExtenderComponent extender;

    @BeforeAll
    static void start() throws Exception {
        vertx = Vertx.vertx();
        var tls = directory.resolve("extender");
        TlsDirectory.open(tls, LeafRequest.forServer("any"), Clock.systemUTC()); // makes the CA
        scheduler = new HttpsClient(
                vertx, leafOfTheSameCa("scheduler", LeafRequest.forClient("scheduler")), Duration.ofSeconds(20));
        scaler = ComponentServer.start(
                vertx,
                ServerOptions.of("scaler", "127.0.0.1", 0).withClientCertificates(),
                leafOfTheSameCa("scaler", LeafRequest.forServer("scaler").withIpAddresses("127.0.0.1")),
                Routes.none().post(UnplacedPod.PATH, request -> {
                    REPORTS.add(new ObjectMapper().readValue(request.body().getBytes(), UnplacedPod.class));
                    return Response.text(202, "thanks");
                }),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
        extender = ExtenderComponent.start(ExtenderOptions.withTls(tls)
                .withListen(new ListenAddress("127.0.0.1", 0))
                .withResources(ClusterFixture.FILES)
                .withScalerUrl(URI.create("https://127.0.0.1:" + scaler.port() + "/"))
                .withOperations(new ListenAddress("127.0.0.1", 0)));
        extender.ready().get(60, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() {
        extender.close();
        scaler.close(Duration.ZERO);
        scheduler.close();
        vertx.close().await();
    }

    @Test
    void answersTheSchedulerOverMutualTls() throws Exception {
        var filtered = post("/filter", "heavy-spot-a", "cpu-a", "heavy-spot-going", "heavy-spot-b", "heavy-ondemand-a");
        assertThat(filtered).isEqualTo("""
                        {"Nodes":null,"NodeNames":["heavy-spot-a","heavy-spot-b","heavy-ondemand-a"],"FailedNodes":{},\
                        "FailedAndUnresolvableNodes":{"cpu-a":"node(s) of a pool outside the pod's tier",\
                        "heavy-spot-going":"node(s) being removed"},"Error":""}""");

        assertThat(post("/prioritize", "heavy-spot-a", "heavy-spot-b", "heavy-ondemand-a"))
                .isEqualTo("""
                        [{"Host":"heavy-spot-a","Score":9},{"Host":"heavy-spot-b","Score":10},{"Host":"heavy-ondemand-a","Score":4}]""");
    }

    @Test
    void choosesTheNodeThatItWouldScoreBest() throws Exception {
        assertThat(post("/choose", "heavy-spot-a", "cpu-a", "heavy-spot-going", "heavy-spot-b", "heavy-ondemand-a"))
                .isEqualTo("""
                        {"Nodes":null,"NodeNames":["heavy-spot-b"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""");
    }

    @Test
    void leavesTheChoiceAmongUnknownNodesToTheScheduler() throws Exception {
        assertThat(post("/choose", "new-a", "new-b")).isEqualTo("""
                {"Nodes":null,"NodeNames":["new-a","new-b"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}""");
    }

    @Test
    void preemptsOnNoNodeThatItWouldRefuseOrThatHasNobodyToEvict() throws Exception {
        var answer = send("/preempt", """
                {"Pod":%s,"NodeNameToVictims":null,"NodeNameToMetaVictims":{
                "heavy-spot-a":{"Pods":[{"UID":"1"}],"NumPDBViolations":1},
                "heavy-spot-b":{"Pods":[],"NumPDBViolations":0},
                "heavy-spot-going":{"Pods":[{"UID":"2"}],"NumPDBViolations":0},
                "cpu-a":{"Pods":[{"UID":"3"}],"NumPDBViolations":0}}}""".formatted(POD));

        assertThat(answer.body())
                .hasToString(
                        "{\"NodeNameToMetaVictims\":{\"heavy-spot-a\":{\"Pods\":[{\"UID\":\"1\"}],\"NumPDBViolations\":1}}}");
    }

    @Test
    void tellsTheScalerOfAPodWithoutANode() throws Exception {
        assertThat(post("/choose", "cpu-a", "heavy-spot-going")).contains("\"NodeNames\":[]", "node(s) being removed");

        var report = REPORTS.poll(20, TimeUnit.SECONDS);
        assertThat(report).isNotNull();
        assertThat(report.uid()).isEqualTo("1-2-3");
        assertThat(report.name()).isEqualTo("mnist");
        assertThat(report.reasons())
                .isEqualTo(Map.of("node(s) of a pool outside the pod's tier", 1, "node(s) being removed", 1));
    }

    /** The same happens while the cluster's DNS is down. */
    @Test
    void answersWhileTheScalersNameIsNotKnown() throws Exception {
        try (var other = ExtenderComponent.start(ExtenderOptions.withTls(directory.resolve("extender"))
                .withListen(new ListenAddress("127.0.0.1", 0))
                .withResources(ClusterFixture.FILES)
                .withScalerUrl(URI.create("https://trainyard-scaler.trainyard-system.invalid:8443")))) {
            other.ready().get(60, TimeUnit.SECONDS);
            for (int time = 0; time < 3; time++) {
                var filter = URI.create("https://127.0.0.1:" + other.port() + "/filter");
                var answer = scheduler.post(filter, Buffer.buffer(question("cpu-a")));
                assertThat(answer.toCompletionStage()
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS)
                                .body()
                                .toString())
                        .contains("node(s) of a pool outside the pod's tier");
            }
        }
    }

    @Test
    void saysInOneLineWhatIsWrongWithARequest() throws Exception {
        var response = send("/filter", "{\"NodeNames\":[],\"Pod\":{\"metadata\":{\"name\":[]}}}");

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body().toString()).startsWith("Pod.metadata.name: ").hasLineCount(1);
    }

    @Test
    void turnsCallersWithoutACertificateAway() throws Exception {
        var anonymous = new AnonymousClient(directory.resolve("extender/ca.crt"));

        assertThatThrownBy(() -> anonymous.post(url("/filter"))).isInstanceOf(IOException.class);
    }

    @Test
    void turnsCallersOfAnotherCaAway() {
        var other =
                TlsDirectory.open(directory.resolve("other"), LeafRequest.forClient("scheduler"), Clock.systemUTC());
        try (var stranger = new HttpsClient(vertx, other, Duration.ofSeconds(20))) {
            assertThatThrownBy(() -> stranger.post(url("/filter"), Buffer.buffer(question("cpu-a")))
                            .await(20, TimeUnit.SECONDS))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void showsThatItIsReadyAndWhatItDid() throws Exception {
        post("/filter", "cpu-a", "heavy-spot-a");

        assertThat(operations("/readyz")).isEqualTo("ok\n");
        assertThat(operations("/metrics"))
                .contains("trainyard_extender_calls_seconds_count{verb=\"filter\"}")
                .contains("trainyard_extender_calls_seconds_bucket{verb=\"filter\",le=\"2.0\"}")
                .contains("trainyard_extender_refusals_total{reason=\"node(s) of a pool outside the pod's tier\"}")
                .contains("trainyard_extender_reports_total{outcome=\"sent\"}")
                .contains("trainyard_extender_index_nodes 5.0")
                .contains("trainyard_http_requests_seconds_count");
    }

    @Test
    void saysWhichPortItCannotHave() {
        var taken = ExtenderOptions.withTls(directory.resolve("extender"))
                .withResources(ClusterFixture.FILES)
                .withListen(new ListenAddress("127.0.0.1", extender.port()));

        assertThatThrownBy(() -> ExtenderComponent.start(taken))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("127.0.0.1:" + extender.port());
    }

    private static String post(String path, String... nodes) throws Exception {
        var response = send(path, question(nodes));
        assertThat(response.status()).as(response.body().toString()).isEqualTo(200);
        return response.body().toString();
    }

    private static Response send(String path, String body) throws Exception {
        Future<Response> response = scheduler.post(url(path), Buffer.buffer(body));
        return response.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static String question(String... nodes) {
        return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[\"%s\"]}".formatted(POD, String.join("\",\"", nodes));
    }

    private static URI url(String path) {
        return URI.create("https://127.0.0.1:" + extender.port() + path);
    }

    private static String operations(String path) throws Exception {
        var url = URI.create("http://127.0.0.1:" + extender.operationsPort().getAsInt() + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                .body();
    }

    private static TlsDirectory leafOfTheSameCa(String name, LeafRequest leaf) throws IOException {
        var own = Files.createDirectories(directory.resolve(name));
        for (var file : new String[] {"ca.crt", "ca.key"}) {
            Files.copy(directory.resolve("extender").resolve(file), own.resolve(file));
        }
        return TlsDirectory.open(own, leaf, Clock.systemUTC());
    }
}
