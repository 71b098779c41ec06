package dev.trainyard.runtime.server;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.TlsMaterial;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An HTTPS client for calls from one component to another. The client trusts only the CA of its credentials, and always verifies the host
 * name. If the server requests a client certificate, the client presents the leaf certificate of its credentials.
 * {@linkplain Credentials#refresh Refreshed} certificates are used from the next connection on. Connections are kept open. Thread-safe.
 *
 * <p>A call fails with an {@link IOException} whose message names the URL; a response of any status is a success.
 */
public final class HttpsClient implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final Credentials tls;
    private final Duration timeout;
    private final HttpClientAgent client;
    private volatile TlsMaterial used;

    /** @param timeout timeout of a whole call, from the connection to the last byte */
    public HttpsClient(Vertx vertx, Credentials tls, Duration timeout) {
        this.tls = tls;
        this.timeout = timeout;
        this.used = tls.current();
        HttpClientOptions options = new HttpClientOptions()
                .setSsl(true)
                .setVerifyHost(true)
                .setUseAlpn(false)
                .setEnabledSecureTransportProtocols(Tls.PROTOCOLS)
                .setConnectTimeout(Math.toIntExact(CONNECT_TIMEOUT.toMillis()));
        options.setKeyCertOptions(Tls.keyCertificate(used));
        options.setTrustOptions(Tls.trust(used));
        this.client = vertx.createHttpClient(options);
    }

    public Future<Response> get(URI url) {
        return send(new RequestOptions().setMethod(HttpMethod.GET), url, null);
    }

    /** Sends a JSON document. */
    public Future<Response> post(URI url, Buffer json) {
        return send(new RequestOptions().setMethod(HttpMethod.POST), url, json);
    }

    /** Sends a JSON document to the given address, and expects the URL's host in the certificate. */
    Future<Response> postVia(SocketAddress address, URI url, Map<String, String> headers, Buffer json) {
        var request = new RequestOptions().setMethod(HttpMethod.POST).setServer(address);
        headers.forEach(request::putHeader);
        return send(request, url, json);
    }

    @Override
    public void close() {
        BlockingWait.upTo(10, client.shutdown(1, TimeUnit.SECONDS), "cannot close the connections to other components");
    }

    private Future<Response> send(RequestOptions request, URI url, @Nullable Buffer body) {
        if (!"https".equals(url.getScheme()) || url.getHost() == null) {
            return Future.failedFuture(new IOException(
                    url + " is not a URL of another component; expected something like https://HOST:PORT/PATH"));
        }
        request.setHost(unbracketed(url.getHost()))
                .setPort(url.getPort() < 0 ? 443 : url.getPort())
                .setURI(target(url))
                .setSsl(true);
        return withCurrentCertificates()
                .compose(ready -> client.request(request))
                .compose(sending -> answer(sending, body))
                .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .recover(problem -> Future.failedFuture(
                        new IOException(request.getMethod() + " " + url + " failed: " + reason(problem), problem)));
    }

    /**
     * Sends the body and returns the response. The response handler is registered before the body is sent. If the response arrived before
     * the registration, its body would be read as empty.
     */
    private static Future<Response> answer(HttpClientRequest sending, @Nullable Buffer body) {
        var response = sending.response().compose(HttpsClient::response);
        var sent = body == null
                ? sending.end()
                : sending.putHeader("Content-Type", "application/json").end(body);
        return sent.compose(done -> response);
    }

    private Future<?> withCurrentCertificates() {
        TlsMaterial now = tls.current();
        if (now.equals(used)) {
            return Future.succeededFuture();
        }
        return client.updateSSLOptions(Tls.client(now)).onSuccess(done -> used = now);
    }

    private static Future<Response> response(HttpClientResponse response) {
        return response.body()
                .map(body -> new Response(
                        response.statusCode(),
                        Objects.requireNonNullElse(response.getHeader("Content-Type"), "application/octet-stream"),
                        body));
    }

    /**
     * Returns the message of the problem, with the message of its innermost cause. "Failed to create SSL connection" alone does not help an
     * operator.
     */
    private static String reason(Throwable problem) {
        String outer = Objects.requireNonNullElse(problem.getMessage(), problem.toString());
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String inner = Objects.requireNonNullElse(root.getMessage(), root.toString());
        return outer.contains(inner) ? outer : outer + ": " + inner;
    }

    private static String target(URI url) {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
