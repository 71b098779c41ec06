package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the check of a registration that was changed by hand. */
class RegistrationFieldsTest {

    private final CheckFixture world = new CheckFixture();
    private final MutatingWebhook webhook = world.registration.getWebhooks().get(0);

    @Test
    void findsAMatchConditionThatNeverMatches() {
        webhook.getMatchConditions().get(0).setExpression("false");
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    webhook: a match condition differs from the manifests, so the webhook may not be called for training pods (MutatingWebhookConfiguration trainyard webhooks[pods.trainyard.dev].matchConditions[wants-gpu-or-names-tier].expression = false, expected (has(object.metadata.annotations) &&")
                .contains("; apply manifests/base/webhook/webhook-configuration.yaml")
                .endsWith("#webhook-not-called");
    }

    @Test
    void showsWhereALongMatchConditionDiffers() {
        var condition = webhook.getMatchConditions().get(0);
        condition.setExpression(condition.getExpression().replace("'alpha.kubernetes.io/nvidia-gpu'", "'amd.com/gpu'"));
        var trouble = world.trouble();
        assertThat(trouble.value()).startsWith("...").contains("'amd.com/gpu'").hasSizeLessThan(170);
        assertThat(trouble.expected()).startsWith("...").contains("'alpha.kubernetes.io/nvidia-gpu'");
    }

    @Test
    void letsMoreNamesOfGpusBeThere() {
        webhook.getMatchConditions()
                .forEach(condition -> condition.setExpression(condition
                        .getExpression()
                        .replace(
                                "'alpha.kubernetes.io/nvidia-gpu'",
                                "'alpha.kubernetes.io/nvidia-gpu', 'example.com/gpu'")));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void findsMatchConditionsTooManyAndTooFew() {
        var conditions = new ArrayList<>(webhook.getMatchConditions());
        conditions.add(new MatchCondition("false", "not-of-mine"));
        webhook.setMatchConditions(conditions);
        assertThat(world.trouble().toString())
                .startsWith(
                        "warning  webhook: a match condition is not in the manifests, so the webhook is not called for some pods")
                .contains("matchConditions[not-of-mine].expression = false, expected no such entry)");
        webhook.setMatchConditions(conditions.subList(1, 2));
        assertThat(world.trouble().toString())
                .startsWith("warning  webhook: a match condition is missing")
                .contains("matchConditions[wants-gpu-or-names-tier].expression = (nothing), expected (has(");
    }

    @Test
    void findsThatItIsCalledElsewhere() {
        var service = webhook.getClientConfig().getService();
        service.setPath("/mutation");
        assertThat(world.trouble().toString())
                .startsWith(
                        "error    webhook: the API server calls the webhook at another address than in the manifests")
                .contains("webhooks[pods.trainyard.dev].clientConfig path = /mutation, expected /mutate)");
        service.setPath("/mutate");
        service.setPort(8080);
        assertThat(world.findings())
                .anyMatch(
                        finding -> finding.contains(
                                "clientConfig.service = trainyard-system/trainyard-webhook, port 8080, expected trainyard-system/trainyard-webhook, port 443)"));
        webhook.getClientConfig().setService(null);
        webhook.getClientConfig().setUrl("https://127.0.0.1:8443/mutate");
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void findsWhatItIsAskedBesidesAndWhere() {
        webhook.getRules().get(0).setOperations(List.of("CREATE", "UPDATE"));
        assertThat(world.trouble().toString())
                .contains("rules = CREATE,UPDATE of pods, v1, Namespaced, expected CREATE of pods, v1, Namespaced)");
        webhook.getRules().get(0).setOperations(List.of("CREATE"));

        var selector = world.registration.getWebhooks().get(1).getNamespaceSelector();
        selector.setMatchLabels(null);
        assertThat(world.trouble().toString())
                .contains(
                        "webhooks[all-pods.trainyard.dev].namespaceSelector = kubernetes.io/metadata.name NotIn kube-system,trainyard-system, expected kubernetes.io/metadata.name NotIn kube-system,trainyard-system and trainyard.dev/all-pods In true)");
    }

    @Test
    void saysThingsOnce() {
        webhook.getRules().get(0).setOperations(List.of("UPDATE"));
        webhook.setNamespaceSelector(null);
        assertThat(world.findings())
                .filteredOn(finding -> finding.contains("rules = "))
                .hasSize(1);
        assertThat(world.findings())
                .filteredOn(finding -> finding.contains("namespaceSelector = "))
                .hasSize(1);
    }
}
