package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A check that the API server sends training pods and their Jobs to the webhook, but not pods that the webhook may need for its own start,
 * such as those in kube-system.
 */
final class RegistrationCheck implements Check {

    /** The name of the MutatingWebhookConfiguration in {@code manifests/base/webhook}. */
    static final String NAME = "trainyard";

    static final String OBJECT = "MutatingWebhookConfiguration " + NAME;

    static final String ABOUT = "webhook";
    private static final String FILE = "base/webhook/webhook-configuration.yaml";
    static final String APPLY = "apply manifests/" + FILE;
    /** The names of the webhooks for pods in the MutatingWebhookConfiguration. */
    static final Set<String> ENTRIES = Set.of("pods.trainyard.dev", "all-pods.trainyard.dev");

    /** The names of the webhooks for Jobs. */
    private static final Set<String> JOB_ENTRIES = Set.of("jobs.trainyard.dev", "all-jobs.trainyard.dev");

    private static final int LONG = 10;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.admission().registration().findings(ABOUT, registration -> look(registration, seen));
    }

    private static List<Finding> look(Optional<MutatingWebhookConfiguration> found, ClusterSnapshot seen) {
        if (found.isEmpty()) {
            return List.of(Finding.warning(
                            ABOUT,
                            "there is no MutatingWebhookConfiguration '%s', so pods are admitted unchanged"
                                    .formatted(NAME))
                    .on(OBJECT)
                    .todo(APPLY + ", unless the policies of 'trainyard policy' replace the webhook")
                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        }
        var webhooks = webhooks(found.get());
        var shipped = webhooks(BundledManifests.object(
                FILE, MutatingWebhookConfiguration.class, seen.setting().namespace()));
        var findings = new ArrayList<Finding>();
        for (var webhook : webhooks) {
            var own = look(webhook, seen);
            findings.addAll(own);
            shipped.stream()
                    .filter(one -> one.getName().equals(webhook.getName()))
                    .forEach(one -> findings.addAll(RegistrationFields.differences(webhook, one, fields(own))));
        }
        shipped.stream()
                .map(MutatingWebhook::getName)
                .filter(name ->
                        webhooks.stream().noneMatch(webhook -> webhook.getName().equals(name)))
                .map(name -> Finding.warning(
                                ABOUT,
                                "entry %s is missing, so its %s are admitted unchanged".formatted(name, noun(name)))
                        .on(OBJECT)
                        .field("webhooks", names(webhooks), name + " as well")
                        .todo(APPLY)
                        .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED))
                .forEach(findings::add);
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "is registered for pods that want a GPU or name a tier"))
                : findings;
    }

    /** Returns the fields of the findings, without the name of the webhook. */
    private static Set<String> fields(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.field().substring(finding.field().indexOf("].") + 2))
                .collect(Collectors.toSet());
    }

    private static List<Finding> look(MutatingWebhook webhook, ClusterSnapshot seen) {
        var findings = new ArrayList<Finding>();
        var place = "webhooks[%s].".formatted(webhook.getName());
        var noun = noun(webhook.getName());
        if (!isSentNew(noun, webhook)) {
            findings.add(Finding.error(ABOUT, "the API server does not call the webhook for new " + noun)
                    .on(OBJECT)
                    .field(place + "rules", rules(webhook), "CREATE of %s, v1".formatted(noun.toLowerCase(Locale.ROOT)))
                    .todo(APPLY)
                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        }
        findings.addAll(whatMustNotWait(webhook, place, seen.setting().namespace()));
        if (webhook.getObjectSelector() != null
                && !WebhookSelectors.read(webhook.getObjectSelector()).isEverything()) {
            findings.add(Finding.warning(ABOUT, "only %s with certain labels are sent to the webhook".formatted(noun))
                    .on(OBJECT)
                    .field(place + "objectSelector", WebhookSelectors.words(webhook.getObjectSelector()), "none")
                    .todo(APPLY + ", or label the " + noun)
                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        }
        if (!JOB_ENTRIES.contains(webhook.getName())) {
            findings.addAll(namespaces(webhook, place, seen));
        }
        return findings;
    }

    /** Returns the word for the objects that a webhook of this name gets. */
    private static String noun(String webhook) {
        return JOB_ENTRIES.contains(webhook) ? "Jobs" : "pods";
    }

    /** Returns findings about pods that cannot be created, or wait long, while the webhook is down. */
    private static List<Finding> whatMustNotWait(MutatingWebhook webhook, String place, String namespace) {
        var noun = noun(webhook.getName());
        boolean required = "Fail".equals(webhook.getFailurePolicy());
        boolean own = WebhookSelectors.matchesNamespace(webhook.getNamespaceSelector(), namespace);
        boolean system = WebhookSelectors.matchesNamespace(webhook.getNamespaceSelector(), "kube-system");
        var findings = new ArrayList<Finding>();
        if (required) {
            findings.add(Finding.warning(
                            ABOUT,
                            "while the webhook is down, %s that need its answer cannot be created".formatted(noun))
                    .on(OBJECT)
                    .field(place + "failurePolicy", "Fail", "Ignore")
                    .todo(APPLY)
                    .see(TroubleshootingTopic.WEBHOOK_KEEPS_PODS_OUT));
        }
        if (own || system) {
            var what = own ? namespace : "kube-system";
            var seen = "the webhook is called for %s of %s".formatted(noun, what);
            findings.add((required
                            ? Finding.error(ABOUT, seen + ", and the webhook may need them for its own restart")
                            : Finding.warning(ABOUT, seen + ", and their creation is slow while the webhook is down"))
                    .on(OBJECT)
                    .field(
                            place + "namespaceSelector",
                            words(webhook.getNamespaceSelector()),
                            "not %s, not kube-system".formatted(namespace))
                    .todo(APPLY)
                    .see(TroubleshootingTopic.WEBHOOK_KEEPS_PODS_OUT));
        }
        var seconds = Optional.ofNullable(webhook.getTimeoutSeconds()).orElse(LONG);
        if (seconds > LONG) {
            findings.add(Finding.warning(
                            ABOUT, "the creation of %s is slow while the webhook does not answer".formatted(noun))
                    .on(OBJECT)
                    .field(place + "timeoutSeconds", String.valueOf(seconds), "3")
                    .todo(APPLY)
                    .see(TroubleshootingTopic.WEBHOOK_KEEPS_PODS_OUT));
        }
        return findings;
    }

    /** Returns a warning for each namespace that names a tier but whose pods are not sent to the webhook. */
    private static List<Finding> namespaces(MutatingWebhook webhook, String place, ClusterSnapshot seen) {
        boolean forAllPods =
                WebhookSelectors.words(webhook.getNamespaceSelector()).contains(Names.ALL_PODS);
        return seen.configuration().namespaces().value().orElse(List.of()).stream()
                .filter(namespace ->
                        !forAllPods && NamespacesCheck.tier(namespace).isPresent())
                .filter(namespace -> !WebhookSelectors.matches(webhook.getNamespaceSelector(), namespace.getMetadata()))
                .map(namespace -> namespace.getMetadata().getName())
                .filter(name -> !name.equals("kube-system")
                        && !name.equals(seen.setting().namespace()))
                .map(name -> Finding.warning(
                                ABOUT,
                                "namespace %s names a tier for its pods, but the webhook is not called for them"
                                        .formatted(name))
                        .on(OBJECT)
                        .field(
                                place + "namespaceSelector",
                                words(webhook.getNamespaceSelector()),
                                "a selector that selects " + name)
                        .todo(APPLY)
                        .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED))
                .toList();
    }

    private static boolean isSentNew(String noun, MutatingWebhook webhook) {
        return Optional.ofNullable(webhook.getRules()).orElse(List.of()).stream()
                .anyMatch(rule -> names(rule.getOperations(), "CREATE")
                        && names(rule.getResources(), noun.toLowerCase(Locale.ROOT))
                        && names(rule.getApiVersions(), "v1")
                        && names(rule.getApiGroups(), noun.equals("Jobs") ? "batch" : ""));
    }

    private static boolean names(List<String> words, String wanted) {
        return words.contains(wanted) || words.contains("*");
    }

    private static String rules(MutatingWebhook webhook) {
        return Optional.ofNullable(webhook.getRules()).orElse(List.of()).stream()
                .map(rule -> "%s of %s"
                        .formatted(String.join(",", rule.getOperations()), String.join(",", rule.getResources())))
                .reduce((a, b) -> a + "; " + b)
                .orElse("");
    }

    static List<MutatingWebhook> webhooks(MutatingWebhookConfiguration configuration) {
        return Optional.ofNullable(configuration.getWebhooks()).orElse(List.of());
    }

    /** Returns the Services that the API server calls; empty if the registration names none, or is unknown. */
    static Stream<ServiceReference> services(ClusterSnapshot seen) {
        return seen.admission().registration().value().flatMap(found -> found).stream()
                .flatMap(registration -> webhooks(registration).stream())
                .flatMap(webhook -> Stream.ofNullable(webhook.getClientConfig()))
                .flatMap(config -> Stream.ofNullable(config.getService()));
    }

    private static String names(List<MutatingWebhook> webhooks) {
        return String.join(", ", webhooks.stream().map(MutatingWebhook::getName).toList());
    }

    private static String words(LabelSelector selector) {
        var words = WebhookSelectors.words(selector);
        return words.isEmpty() ? "all" : words;
    }
}
