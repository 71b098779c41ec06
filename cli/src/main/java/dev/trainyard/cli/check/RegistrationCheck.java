package dev.trainyard.cli.check;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import java.util.List;
import java.util.Optional;

/** Whether the API server sends pods to the webhook, and believes it. */
final class RegistrationCheck implements Check {

    /** Of the MutatingWebhookConfiguration in {@code manifests/base/webhook}. */
    static final String NAME = "trainyard";

    private static final String ABOUT = "webhook";

    @Override
    public List<Finding> look(Seen seen) {
        return seen.registration().findings(ABOUT, registration -> List.of(look(registration)));
    }

    private static Finding look(Optional<MutatingWebhookConfiguration> found) {
        if (found.isEmpty()) {
            return Finding.warning(
                    ABOUT,
                    "there is no MutatingWebhookConfiguration '%s', so that pods pass as they are".formatted(NAME),
                    "apply manifests/base/webhook, unless the policies of 'trainyard policy' do its work");
        }
        var without = Optional.ofNullable(found.get().getWebhooks()).orElse(List.of()).stream()
                .filter(webhook -> webhook.getClientConfig() == null
                        || webhook.getClientConfig().getCaBundle() == null
                        || webhook.getClientConfig().getCaBundle().isEmpty())
                .map(MutatingWebhook::getName)
                .toList();
        return without.isEmpty()
                ? Finding.ok(ABOUT, "is registered, with a CA")
                : Finding.problem(
                        ABOUT,
                        "MutatingWebhookConfiguration '%s' has no caBundle for %s, so that the API server cannot call it"
                                .formatted(NAME, String.join(", ", without)),
                        "look whether the webhook runs with --webhook-configuration=%s, and at its log"
                                .formatted(NAME));
    }
}
