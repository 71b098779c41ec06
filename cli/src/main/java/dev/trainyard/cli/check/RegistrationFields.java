package dev.trainyard.cli.check;

import dev.trainyard.cli.check.Finding.Level;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of a webhook's registration with the manifests, field by field: which pods the API server sends, and to which address.
 * Accepts a URL instead of a Service. Accepts additional GPU names in the match conditions, such as those of the chart's value
 * {@code webhook.gpuAliases}.
 */
final class RegistrationFields {

    private static final String CONDITION = "matchConditions[";
    private static final String PATH = "clientConfig path";
    private static final String SERVICE = "clientConfig.service";
    private static final int PORT = 443;

    /** The GPU names in the manifests, followed by any additional names. */
    private static final String ALIASES = "('nvidia\\.com/gpu', 'alpha\\.kubernetes\\.io/nvidia-gpu')(?:, ?'[^']*')*";

    private RegistrationFields() {}

    /**
     * @param shipped the entry of the same name in the manifests
     * @param known the fields that have a finding already
     */
    static List<Finding> differences(MutatingWebhook found, MutatingWebhook shipped, Set<String> known) {
        var present = fields(found);
        var expected = fields(shipped);
        if (!present.containsKey(SERVICE)) {
            expected.remove(SERVICE);
        }
        var names = new LinkedHashSet<>(expected.keySet());
        names.addAll(present.keySet());
        return names.stream()
                .filter(name -> !known.contains(name))
                .filter(name -> !present.getOrDefault(name, "").equals(expected.getOrDefault(name, "")))
                .map(name ->
                        finding(found.getName(), name, present.getOrDefault(name, ""), expected.getOrDefault(name, "")))
                .toList();
    }

    private static Finding finding(String webhook, String field, String value, String expected) {
        boolean condition = field.startsWith(CONDITION);
        // A missing or additional condition may be intended. A changed condition is an error.
        boolean grave = field.equals(PATH) || (condition && !value.isEmpty() && !expected.isEmpty());
        var place = Excerpts.of(value, expected);
        return Finding.of(grave ? Level.ERROR : Level.WARNING, RegistrationCheck.ABOUT, what(field, value, expected))
                .on(RegistrationCheck.OBJECT)
                .field(
                        "webhooks[%s].%s".formatted(webhook, field),
                        place.value(),
                        expected.isEmpty() ? "no such entry" : place.expected())
                .todo(RegistrationCheck.APPLY)
                .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED);
    }

    private static String what(String field, String value, String expected) {
        if (field.equals(PATH) || field.equals(SERVICE)) {
            return "the API server calls the webhook at another address than in the manifests";
        }
        if (!field.startsWith(CONDITION)) {
            return "the registration differs from the manifests";
        }
        if (value.isEmpty()) {
            return "a match condition is missing, so the webhook is called for unrelated pods";
        }
        return expected.isEmpty()
                ? "a match condition is not in the manifests, so the webhook is not called for some pods"
                : "a match condition differs from the manifests, so the webhook may not be called for training pods";
    }

    private static Map<String, String> fields(MutatingWebhook webhook) {
        var fields = new LinkedHashMap<String, String>();
        list(webhook.getMatchConditions())
                .forEach(condition -> fields.put(
                        CONDITION + condition.getName() + "].expression", expression(condition.getExpression())));
        fields.put("rules", rules(webhook));
        fields.put("namespaceSelector", selector(webhook.getNamespaceSelector()));
        fields.put("matchPolicy", text(webhook.getMatchPolicy()));
        fields.put("reinvocationPolicy", text(webhook.getReinvocationPolicy()));
        fields.put("sideEffects", text(webhook.getSideEffects()));
        fields.put("admissionReviewVersions", String.join(", ", list(webhook.getAdmissionReviewVersions())));
        Optional.ofNullable(webhook.getClientConfig()).ifPresent(config -> {
            fields.put(PATH, path(config));
            Optional.ofNullable(config.getService())
                    .ifPresent(service -> fields.put(
                            SERVICE,
                            "%s/%s, port %d"
                                    .formatted(
                                            service.getNamespace(),
                                            service.getName(),
                                            Optional.ofNullable(service.getPort())
                                                    .orElse(PORT))));
        });
        return fields;
    }

    private static String expression(@Nullable String text) {
        return text(text).trim().replaceAll("\\s+", " ").replaceAll(ALIASES, "$1");
    }

    private static String rules(MutatingWebhook webhook) {
        return list(webhook.getRules()).stream()
                .map(rule -> "%s of %s, %s, %s"
                        .formatted(
                                sorted(rule.getOperations()),
                                sorted(rule.getApiGroups().stream()
                                        .flatMap(group -> list(rule.getResources()).stream()
                                                .map(resource -> group.isEmpty() ? resource : resource + "." + group))
                                        .toList()),
                                sorted(rule.getApiVersions()),
                                text(rule.getScope())))
                .sorted()
                .collect(Collectors.joining("; "));
    }

    private static String selector(@Nullable LabelSelector selector) {
        return WebhookSelectors.read(selector).requirements().stream()
                .map(one -> "%s %s %s".formatted(one.key(), one.operator(), sorted(one.values())))
                .sorted()
                .collect(Collectors.joining(" and "));
    }

    private static String path(WebhookClientConfig config) {
        return config.getService() != null
                ? text(config.getService().getPath())
                : text(URI.create(text(config.getUrl())).getPath());
    }

    private static String sorted(List<String> words) {
        return list(words).stream().sorted().collect(Collectors.joining(","));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <T> List<T> list(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
