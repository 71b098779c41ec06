package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsMaterial;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An adversary who reaches every port, but has neither a certificate nor a token. The status page, which is on loopback only, has its own
 * test, {@code PageServerTest}.
 */
@WithTestCluster
@ResourceLock(value = WithTestCluster.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
class UnauthenticatedCallerIT {

    @ParameterizedTest
    @MethodSource("endpointsForCertificates")
    void isNotHeardWithoutACertificateOfOurs(InstalledComponent part, String path, TestCluster testCluster)
            throws Exception {
        var url = testCluster.url(part) + path;
        var ours = Files.readString(testCluster.controlPlane().dir().resolve("tls/webhook/ca.crt"));
        var other = CertificateAuthority.create("trainyard local", Duration.ofDays(1), Clock.systemUTC());
        var foreign = other.issue(LeafRequest.forClient("trainyard-scheduler"), Instant.now());
        var without = new TlsMaterial(ours, "", "", Instant.EPOCH).sslContextWithoutCertificate();
        var withForeign = new TlsMaterial(ours, foreign.certificatePem(), foreign.keyPem(), Instant.EPOCH).sslContext();

        assertThatThrownBy(() -> post(without, url, "{}")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> post(withForeign, url, "{}")).isInstanceOf(IOException.class);
    }

    static Stream<Arguments> endpointsForCertificates() {
        return Stream.of(
                Arguments.of(InstalledComponent.EXTENDER, "/choose"),
                Arguments.of(InstalledComponent.EXTENDER, "/filter"),
                Arguments.of(InstalledComponent.EXTENDER, "/prioritize"),
                Arguments.of(InstalledComponent.EXTENDER, "/preempt"),
                Arguments.of(InstalledComponent.SCALER, UnplacedPod.PATH));
    }

    /**
     * Shows what any caller learns: the result for a pod that they sent, and names of tiers. API servers present no certificate to webhooks
     * unless configured to.
     */
    @Test
    void hearsFromTheWebhookWhatBecomesOfAPodOfTheirOwnAndNothingElse(TestCluster testCluster) throws Exception {
        var ours = Files.readString(testCluster.controlPlane().dir().resolve("tls/webhook/ca.crt"));
        var context = new TlsMaterial(ours, "", "", Instant.EPOCH).sslContextWithoutCertificate();
        var url = testCluster.url(InstalledComponent.WEBHOOK);

        assertThat(post(context, url + "/mutate", "{}").statusCode()).isEqualTo(400);
        for (var path : new String[] {"/", "/metrics", "/readyz", "/filter", "/mutate/../metrics"}) {
            assertThat(post(context, url + path, "{}").statusCode()).as(path).isEqualTo(404);
        }
        var answer = post(context, url + "/mutate", """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CREATE",
                "namespace": "kube-system", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "object": {"metadata": {},
                "spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}}}""");
        assertThat(answer.body()).contains("\"decision\":\"untouched\"").doesNotContain("patch");
    }

    /** Metrics contain numbers about machines, none about tenants. Nothing can be changed. */
    @ParameterizedTest
    @EnumSource(InstalledComponent.class)
    void readsMetricsAndChangesNothing(InstalledComponent part, TestCluster testCluster, TrainingGround ground)
            throws Exception {
        ground.kubectl("create", "-f", ground.job("a-tenants-secret-project", 1, 1, ""));
        TrainingGround.awaitTrue("it ran", () -> ground.placedPods().size() == 1);
        var operations = testCluster.operationsUrl(part);

        var metrics = plain("GET", operations + "/metrics");

        assertThat(metrics.statusCode()).isEqualTo(200);
        assertThat(metrics.body())
                .contains("trainyard_")
                .doesNotContain(ground.namespace() + "\"", "a-tenants-secret-project", "BEGIN", "token");
        for (var method : new String[] {"POST", "PUT", "DELETE", "PATCH", "TRACE"}) {
            for (var path : new String[] {"/metrics", "/readyz", "/healthz"}) {
                assertThat(plain(method, operations + path).statusCode())
                        .as(method + " " + path)
                        .isEqualTo(405);
            }
        }
        for (var path :
                new String[] {"/", "/debug/pprof", "/metrics/../secrets", "/mutate", "/filter", UnplacedPod.PATH}) {
            assertThat(plain("GET", operations + path).statusCode()).as(path).isEqualTo(404);
        }
    }

    private static HttpResponse<String> post(SSLContext context, String url, String body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(30))
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newBuilder().sslContext(context).build().send(request, BodyHandlers.ofString());
    }

    private static HttpResponse<String> plain(String method, String url) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(30))
                .method(method, BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
