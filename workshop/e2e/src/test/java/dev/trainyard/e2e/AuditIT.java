package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** While the webhook is down, pods are admitted unchanged, and users are informed. */
@WithTestCluster
@Tag("disruptive")
@ResourceLock(WithTestCluster.WHOLE)
class AuditIT {

    private static final String METRIC = "trainyard_scaler_not_completed_pods ";

    @Test
    void aPodThatIsAdmittedWhileTheWebhookIsDownIsCountedAndTold(TestCluster testCluster, TrainingGround ground) {
        assertThat(notCompleted(testCluster)).as("before").isEqualTo("0.0");
        testCluster.stop(InstalledComponent.WEBHOOK);
        try {
            ground.kubectl("create", "-f", "manifests/examples/tftrain.yaml");
            var pod = ground.pod();
            assertThat(pod.getMetadata().getAnnotations() == null
                            || !pod.getMetadata().getAnnotations().containsKey(Names.INJECTED))
                    .as("it passes as it is")
                    .isTrue();
            assertThat(pod.getSpec().getSchedulerName()).isEqualTo("default-scheduler");
            var name = pod.getMetadata().getName();

            TrainingGround.awaitTrue(
                    "kubectl describe tells what to do",
                    () -> ground.kubectl("describe", "pod", name).contains("NotCompleted"));

            assertThat(ground.kubectl("describe", "pod", name))
                    .contains("the webhook did not complete this pod")
                    .contains("of tier light-gpu")
                    .contains("delete it, and its Job creates it again")
                    .doesNotContain("NotPlaceable");
            assertThat(notCompleted(testCluster)).isEqualTo("1.0");
        } finally {
            testCluster.start(InstalledComponent.WEBHOOK);
        }

        // Follows the advice of the Event, now that the webhook is back.
        ground.kubectl("delete", "pod", "--all");
        TrainingGround.awaitTrue(
                "nothing is left to count", () -> notCompleted(testCluster).equals("0.0"));
        TrainingGround.awaitTrue(
                "the pod that its Job made again runs",
                () -> ground.placedPods().size() == 1);
        assertThat(ground.pod().getMetadata().getAnnotations()).containsKey(Names.INJECTED);
    }

    @Test
    void aPodThatOptedOutIsNotCounted(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("annotate", "namespace", ground.namespace(), "trainyard.dev/inject=false");
        ground.kubectl("create", "-f", ground.job("own-ways", 1, 1, ""));
        TrainingGround.awaitTrue(
                "the scaler has looked at it",
                () -> ground.events().stream().anyMatch(event -> event.startsWith("NotPlaceable")));

        assertThat(ground.events())
                .filteredOn(event -> event.startsWith("NotPlaceable"))
                .singleElement()
                .asString()
                .contains("the webhook does not change this pod: annotation trainyard.dev/inject");
        assertThat(notCompleted(testCluster)).isEqualTo("0.0");
    }

    private static String notCompleted(TestCluster testCluster) {
        var metrics = URI.create(testCluster.operationsUrl(InstalledComponent.SCALER) + "/metrics");
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(METRIC))
                    .map(line -> line.substring(METRIC.length()))
                    .findFirst()
                    .orElse("absent");
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
