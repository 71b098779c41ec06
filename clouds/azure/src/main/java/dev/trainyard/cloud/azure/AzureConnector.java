package dev.trainyard.cloud.azure;

import com.azure.core.credential.TokenCredential;
import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpPipelineBuilder;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.http.policy.BearerTokenAuthenticationPolicy;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.core.http.policy.UserAgentPolicy;
import com.azure.identity.ClientSecretCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import com.azure.identity.WorkloadIdentityCredentialBuilder;
import dev.trainyard.certs.TlsException;
import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import javax.net.ssl.SSLContext;
import reactor.core.publisher.Mono;

/**
 * The factory of the request pipeline. The pipeline does not retry, because the scaler retries failed calls itself. Even refused requests
 * use up Azure's rate limits.
 */
final class AzureConnector {

    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** The timeout of an answer. Azure answers within a second or two; lists of a thousand machines take longer. */
    private static final Duration ANSWER = Duration.ofSeconds(20);

    /** The retries of a token request: only one, so that a pool is soon reported as unreadable. */
    private static final RetryOptions ONCE_MORE = new RetryOptions(new FixedDelayOptions(1, Duration.ofMillis(500)));

    private AzureConnector() {}

    /** @throws ArmException if the environment's settings are invalid; the message is for the user */
    static AzureAccess open(Map<String, String> environment) throws ArmException {
        var settings = AzureSettings.of(environment);
        var http = http(settings, ANSWER);
        return access(settings.endpoint(), http, credential(settings, http), ANSWER);
    }

    static AzureAccess access(String endpoint, HttpClient http, TokenCredential credential, Duration timeout) {
        var pipeline = new HttpPipelineBuilder()
                .policies(
                        // The SDK would follow any link to a next page, and send the token to that address.
                        (context, next) -> AzureAccess.isOwn(
                                        endpoint,
                                        context.getHttpRequest().getUrl().toString())
                                ? next.process()
                                : Mono.error(new IOException("an answer names an address outside Azure: "
                                        + context.getHttpRequest().getUrl())),
                        new UserAgentPolicy("trainyard"),
                        new BearerTokenAuthenticationPolicy(credential, endpoint + "/.default"))
                .httpClient(http)
                .build();
        return new AzureAccess(endpoint, pipeline, timeout);
    }

    private static HttpClient http(AzureSettings settings, Duration timeout) throws ArmException {
        if (settings.caFile().isEmpty()) {
            return http(java.net.http.HttpClient.newBuilder(), timeout);
        }
        var file = settings.caFile().get();
        try {
            var trusted = new TlsMaterial(Files.readString(file), "", "", Instant.MAX);
            return http(trusted.sslContextWithoutCertificate(), timeout);
        } catch (IOException | TlsException e) {
            throw AzureSettings.unusable(
                    "%s: file %s cannot be used: %s".formatted(AzureSettings.CA_FILE, file, e.getMessage()));
        }
    }

    static HttpClient http(SSLContext trust, Duration timeout) {
        return http(java.net.http.HttpClient.newBuilder().sslContext(trust), timeout);
    }

    private static HttpClient http(java.net.http.HttpClient.Builder builder, Duration timeout) {
        return new JdkHttpClientBuilder(builder)
                .connectionTimeout(CONNECT)
                .responseTimeout(timeout)
                .readTimeout(timeout)
                .build();
    }

    static TokenCredential credential(AzureSettings settings, HttpClient http) {
        if (settings.identity() instanceof AzureSettings.WorkloadIdentity workload) {
            return new WorkloadIdentityCredentialBuilder()
                    .tenantId(workload.tenant())
                    .clientId(workload.client())
                    .tokenFilePath(workload.tokenFile().toString())
                    .authorityHost(settings.authority())
                    .httpClient(http)
                    .retryOptions(ONCE_MORE)
                    .build();
        }
        if (settings.identity() instanceof AzureSettings.ServicePrincipal principal) {
            var builder = new ClientSecretCredentialBuilder()
                    .tenantId(principal.tenant())
                    .clientId(principal.client())
                    .clientSecret(principal.secret())
                    .authorityHost(settings.authority())
                    .httpClient(http)
                    .retryOptions(ONCE_MORE);
            return (settings.caFile().isPresent() ? builder.disableInstanceDiscovery() : builder).build();
        }
        var managed = new ManagedIdentityCredentialBuilder().httpClient(http).retryOptions(ONCE_MORE);
        if (settings.identity() instanceof AzureSettings.ManagedIdentity named) {
            named.client().ifPresent(managed::clientId);
        }
        return managed.build();
    }
}
