package dev.trainyard.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * The API server's answer to the creation of a pod, as a JSON tree with warnings. A typed client drops warnings and unknown fields.
 *
 * @param code the HTTP status
 * @param body the stored pod, or a Status
 * @param warnings the texts of the warnings, in the order received
 */
record WebhookAnswer(int code, ObjectNode body, List<String> warnings) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CREATED = 201;
    private static final int TIMEOUT_SECONDS = 30;

    /** A Warning header: {@code 299 - "text"}, with quotes and backslashes in the text escaped. */
    private static final Pattern WARNING = Pattern.compile("299 \\S+ \"(.*)\"");

    WebhookAnswer {
        warnings = List.copyOf(warnings);
    }

    /** Creates a pod in dry-run mode, with complete admission and validation. */
    static WebhookAnswer toDryRun(KubernetesClient client, String namespace, JsonNode pod) {
        var http = client.getHttpClient();
        var url = "%sapi/v1/namespaces/%s/pods?dryRun=All&fieldValidation=Ignore"
                .formatted(client.getMasterUrl(), namespace);
        var request = http.newHttpRequestBuilder()
                .uri(url)
                .post("application/json", pod.toString())
                .build();
        try {
            var response = http.sendAsync(request, String.class).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return new WebhookAnswer(
                    response.code(),
                    (ObjectNode) JSON.readTree(response.body()),
                    response.headers("Warning").stream()
                            .map(WebhookAnswer::unquoted)
                            .toList());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (ExecutionException | TimeoutException | JsonProcessingException e) {
            throw new AssertionError("no answer from " + url, e);
        }
    }

    private static String unquoted(String header) {
        var warning = WARNING.matcher(header);
        return warning.matches() ? warning.group(1).replaceAll("\\\\(.)", "$1") : header;
    }

    boolean isAccepted() {
        return code == CREATED;
    }

    /** Returns the reason of a refusal; empty if the pod was accepted. */
    String message() {
        return isAccepted() ? "" : body.path("message").asText();
    }
}
