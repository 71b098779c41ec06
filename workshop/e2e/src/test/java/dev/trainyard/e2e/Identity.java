package dev.trainyard.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A user of the API server, who can call the API.
 *
 * @param impersonated the impersonated user; null if none
 */
record Identity(KubernetesClient client, @Nullable String impersonated) implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TIMEOUT_SECONDS = 30;
    private static final int FORBIDDEN = 403;

    /**
     * An answer of the API server.
     *
     * @param body the object, or a Status
     */
    record Reply(int code, String body) {
        boolean isForbidden() {
            return code == FORBIDDEN;
        }
    }

    /** Returns a user who has a token of a ServiceAccount, and no other credentials. */
    static Identity withTokenOf(KubernetesClient administrator, String namespace, String serviceAccount) {
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(3600L)
                .endSpec()
                .build();
        var token = administrator
                .serviceAccounts()
                .inNamespace(namespace)
                .withName(serviceAccount)
                .tokenRequest(request)
                .getStatus()
                .getToken();
        return withToken(administrator, token);
    }

    /** Returns a user who has a token, and no other credentials. */
    static Identity withToken(KubernetesClient administrator, String token) {
        var known = administrator.getConfiguration();
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl(known.getMasterUrl())
                .withCaCertData(known.getCaCertData())
                .withCaCertFile(known.getCaCertFile())
                .withOauthToken(token)
                .withNoProxy("127.0.0.1")
                .build();
        return new Identity(new KubernetesClientBuilder().withConfig(config).build(), null);
    }

    /** Returns this user, impersonating {@code user}. Closing this identity closes the returned one. */
    Identity as(String user) {
        return new Identity(client, user);
    }

    /** Calls the API server without a body. See {@link #call(String, String, Object)}. */
    Reply call(String method, String path) {
        return call(method, path, Map.of());
    }

    /** @param body object to send as JSON; ignored with GET and DELETE */
    Reply call(String method, String path, Object body) {
        boolean says = !method.equals("GET") && !method.equals("DELETE");
        var url = client.getMasterUrl().toString().replaceAll("/$", "") + path;
        var http = client.getHttpClient();
        try {
            var request = http.newHttpRequestBuilder()
                    .uri(url)
                    .method(
                            method,
                            method.equals("PATCH") ? "application/strategic-merge-patch+json" : "application/json",
                            says ? JSON.writeValueAsString(body) : null);
            if (impersonated != null) {
                request.setHeader("Impersonate-User", impersonated);
            }
            var response = http.sendAsync(request.build(), String.class).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return new Reply(response.code(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (ExecutionException | TimeoutException | JsonProcessingException e) {
            throw new AssertionError("no answer from " + url, e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
