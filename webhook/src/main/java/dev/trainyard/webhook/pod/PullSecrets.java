package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.PodOrigin;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.webhook.patch.Draft;
import java.util.ArrayList;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * The names of image pull Secrets that a namespace gives to its pods. Only names are added; the administrator of the namespace creates the
 * Secrets.
 */
public final class PullSecrets {

    private static final JsonPointer SECRETS = JsonPointer.compile("/spec/imagePullSecrets");

    // A DNS subdomain, as the name of every Secret is (k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain).
    private static final Pattern NAME =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private PullSecrets() {}

    public static void complete(Draft pod, PodOrigin origin, MutationNotes notes) {
        var wanted = origin.namespaceAnnotation(Names.IMAGE_PULL_SECRETS);
        if (wanted.isEmpty()) {
            return;
        }
        var named = new ArrayList<String>();
        for (var entry : wanted.get().split(",", -1)) {
            var name = entry.strip();
            if (NAME.matcher(name).matches()) {
                add(pod, name);
                named.add(name);
            } else if (!name.isEmpty()) {
                notes.reservation("annotation %s of its namespace: '%s' is not the name of a Secret"
                        .formatted(Names.IMAGE_PULL_SECRETS, UserText.shown(name)));
            }
        }
        if (!named.isEmpty()) {
            notes.given("images pulled with " + String.join(", ", named));
        }
    }

    private static void add(Draft pod, String name) {
        boolean present = StreamSupport.stream(pod.at(SECRETS).spliterator(), false)
                .anyMatch(secret -> secret.path("name").asText().equals(name));
        if (!present) {
            pod.append(SECRETS, JsonNodeFactory.instance.objectNode().put("name", name));
        }
    }
}
