package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.DryRunPod.Expected;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the findings from trial pods about the API server and its webhooks. */
class DryRunCheckTest {

    private final CheckFixture world = new CheckFixture();

    @Test
    void findsThatTheWebhookIsNotCalled() {
        world.trials = List.of(
                new DryRunPod("light", Expected.COMPLETED, created("")),
                new DryRunPod("", Expected.COMPLETED, created("")));
        assertThat(world.errors())
                .hasSize(2)
                .allMatch(error -> error.endsWith("#webhook-not-called"))
                .anyMatch(
                        error -> error.startsWith(
                                "error    test pod: the API server creates a pod of tier light in namespace default, but the webhook does not complete the pod (Pod in namespace default metadata.annotations[trainyard.dev/injected] = (nothing), expected an annotation of the webhook);"))
                .anyMatch(error ->
                        error.contains("creates a pod that requests a GPU and names no tier in namespace default"));
    }

    @Test
    void sortsRefusalsByWhoeverRefuses() {
        world.trials = List.of(refused("none", Expected.REFUSED, denial("pods.trainyard.dev")));
        assertThat(world.errors()).isEmpty();
        world.trials = List.of(refused("light", Expected.COMPLETED, denial("pods.trainyard.dev")));
        assertThat(world.trouble().toString())
                .contains("the webhook refused a pod of tier light: ")
                .contains(
                        "(Pod in namespace default metadata.annotations[trainyard.dev/tier] = light, expected a tier that can be used)")
                .contains("; fix TrainingTier light");
        world.trials = List.of(refused("", Expected.COMPLETED, denial("pods.trainyard.dev")));
        assertThat(world.trouble().todo()).startsWith("fix the tier that its namespace names");
        assertThat(world.trouble().field()).isEmpty();
        world.trials = List.of(refused("light", Expected.COMPLETED, "exceeded quota: gpus"));
        assertThat(world.trouble().seen())
                .isEqualTo("not checked: the API server refused a pod of tier light: exceeded quota: gpus");
        world.trials = List.of(new DryRunPod(
                "light", Expected.COMPLETED, new DryRunPod.NotTried("needs the right to create pods in default")));
        assertThat(world.trouble().seen()).isEqualTo("not checked: needs the right to create pods in default");
    }

    @Test
    void findsAWebhookThatKeepsAllPodsOut() {
        world.trials = List.of(refused("light", Expected.COMPLETED, unreached("pods.trainyard.dev")));
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    test pod: pods such as a pod of tier light cannot be created: the API server cannot call webhook pods.trainyard.dev, and its failurePolicy is Fail: ")
                .contains(
                        "(MutatingWebhookConfiguration trainyard webhooks[pods.trainyard.dev].failurePolicy = Fail, expected Ignore, or a webhook that answers)")
                .contains("; apply manifests/base/webhook/webhook-configuration.yaml")
                .endsWith("#webhook-keeps-pods-out");

        world.trials = List.of(refused("", Expected.LEFT_ALONE, unreached("sidecars.example.com")));
        assertThat(world.trouble().toString())
                .contains("pods such as a pod that requests no GPU and names no tier cannot be created")
                .contains("webhook sidecars.example.com (not part of Trainyard), and its failurePolicy is Fail")
                .contains("set failurePolicy to Ignore in its entry")
                .endsWith("#webhook-keeps-pods-out");
    }

    @Test
    void findsAWebhookThatDoesNotLeavePodsAlone() {
        world.trials = List.of(new DryRunPod("", Expected.LEFT_ALONE, created("")));
        assertThat(world.errors()).isEmpty();

        world.trials = List.of(new DryRunPod("", Expected.LEFT_ALONE, created("tier light")));
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    test pod: the webhook changes a pod that requests no GPU and names no tier, but should leave this pod unchanged (Pod in namespace default metadata.annotations[trainyard.dev/injected] = tier light, expected no such annotation);");
        world.trials = List.of(refused("", Expected.LEFT_ALONE, denial("all-pods.trainyard.dev")));
        assertThat(world.trouble().seen())
                .startsWith("the webhook refused a pod that requests no GPU and names no tier");
    }

    @Test
    void letsANamespaceSendAllOfItsPods() {
        world.trials = List.of(new DryRunPod("", Expected.LEFT_ALONE, created("tier light")));
        var metadata = world.namespaces.get(0).getMetadata();
        metadata.setName("default");
        metadata.setLabels(Map.of("trainyard.dev/all-pods", "true"));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    private static DryRunPod.Created created(String injected) {
        return new DryRunPod.Created(injected);
    }

    private static DryRunPod refused(String tier, Expected expected, String message) {
        return new DryRunPod(tier, expected, new DryRunPod.Refused(message));
    }

    private static String denial(String webhook) {
        return "admission webhook \"%s\" denied the request: no".formatted(webhook);
    }

    private static String unreached(String webhook) {
        return "Internal error occurred: failed calling webhook \"%s\": failed to call webhook: Post \"https://x\": refused"
                .formatted(webhook);
    }
}
