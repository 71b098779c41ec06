package dev.trainyard.runtime.authority;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.certs.AuthorityStore;
import dev.trainyard.certs.SharedAuthority;
import dev.trainyard.certs.TlsException;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store of the replicas' shared CA in a Secret. Thread-safe. */
final class SecretStore implements AuthorityStore {

    /** The type of Secrets that no controller manages. */
    private static final String OPAQUE = "Opaque";

    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubernetesClient client;
    private final String namespace;
    private final String secretName;

    SecretStore(KubernetesClient client, String namespace, String secretName) {
        this.client = client;
        this.namespace = namespace;
        this.secretName = secretName;
    }

    Resource<Secret> resource() {
        return client.secrets().inNamespace(namespace).withName(secretName);
    }

    @Override
    public String name() {
        return "Secret " + namespace + "/" + secretName;
    }

    @Override
    public Optional<Stored> read() {
        Secret secret;
        try {
            secret = resource().get();
        } catch (KubernetesClientException e) {
            throw failure("read", "get", e);
        }
        if (secret == null) {
            return Optional.empty();
        }
        if (!OPAQUE.equals(secret.getType())) {
            throw new TlsException(name() + " is of type " + secret.getType()
                    + ". Other programs create and renew Secrets of this type. The Secret must have type Opaque, or not exist yet. Name another"
                    + " Secret with --tls-secret, or mount this Secret and name its directory with --tls-dir");
        }
        return Optional.of(new Stored(texts(secret), secret.getMetadata().getResourceVersion()));
    }

    @Override
    public boolean write(Map<String, String> data, @Nullable String expected) {
        try {
            if (expected == null) {
                create(data);
            } else {
                replace(data, expected);
            }
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == CONFLICT || (expected != null && e.getCode() == NOT_FOUND)) {
                return false;
            }
            throw failure("written", expected == null ? "create" : "patch", e);
        }
    }

    private void create(Map<String, String> data) {
        var secret = new SecretBuilder()
                .withNewMetadata()
                .withName(secretName)
                .withNamespace(namespace)
                .addToLabels("app.kubernetes.io/part-of", "trainyard")
                .endMetadata()
                .withType(OPAQUE);
        data.forEach((name, text) -> secret.addToData(name, base64(text)));
        client.resource(secret.build()).create();
    }

    /** Sends a merge patch with the expected version. The API server rejects the patch if the version has changed. */
    private void replace(Map<String, String> data, String expected) {
        var patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("resourceVersion", expected);
        var texts = patch.putObject("data");
        for (var name : SharedAuthority.NAMES) {
            var text = data.get(name);
            if (text == null) {
                texts.putNull(name);
            } else {
                texts.put(name, base64(text));
            }
        }
        resource().patch(PatchContext.of(PatchType.JSON_MERGE), patch.toString());
    }

    private TlsException failure(String what, String verb, KubernetesClientException e) {
        var status = e.getStatus();
        var said = status == null || status.getMessage() == null ? e.getMessage() : status.getMessage();
        var remedy = e.getCode() == FORBIDDEN
                ? "; give the ServiceAccount the right to " + verb + " this Secret, as in manifests/base"
                        + TroubleshootingTopic.RIGHTS_MISSING.see()
                : "";
        return new TlsException(name() + " cannot be " + what + ": " + said + remedy, e);
    }

    /**
     * Decodes the data of the Secret. An API server returns only valid base64. Bytes that are not text are rejected later, because they are
     * not PEM.
     */
    private static Map<String, String> texts(Secret secret) {
        var texts = new HashMap<String, String>();
        if (secret.getData() != null) {
            secret.getData()
                    .forEach((name, value) -> texts.put(
                            name, new String(Base64.getDecoder().decode(value), StandardCharsets.ISO_8859_1)));
        }
        return texts;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
