package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.certs.TlsException;
import dev.trainyard.certs.TlsMaterial;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A call to the webhook that reads the certificate that the webhook shows to the API server. The webhook is called only if its address
 * means the same for this process as for the API server. A Service is therefore called only from within the cluster, and a loopback address
 * only if the API server's own address is a loopback address.
 */
final class WebhookCall {

    private static final int PORT = 443;

    private final KubernetesClient client;
    private final Duration timeout;

    WebhookCall(KubernetesClient client, Duration timeout) {
        this.client = client;
        this.timeout = timeout;
    }

    /** @param name the name that the certificate must contain */
    private record Address(String host, int port, String name) {}

    /** Returns the certificate that the webhook shows; empty if this process cannot call the webhook. */
    Optional<ServedCertificate> look(
            Optional<MutatingWebhookConfiguration> registration, ReadResult<List<Service>> services) {
        return registration.stream()
                .flatMap(found -> RegistrationCheck.webhooks(found).stream())
                .map(webhook -> webhook.getClientConfig())
                .filter(config -> config != null)
                .findFirst()
                .flatMap(config -> address(config, services.value().orElse(List.of()))
                        .map(address -> look(address, caBundle(config))));
    }

    private Optional<Address> address(WebhookClientConfig config, List<Service> services) {
        if (config.getUrl() != null) {
            var url = URI.create(config.getUrl());
            return isLoopback(url)
                            && !isLoopback(URI.create(client.getMasterUrl().toString()))
                    ? Optional.empty()
                    : Optional.of(new Address(url.getHost(), url.getPort() < 0 ? PORT : url.getPort(), url.getHost()));
        }
        var named = config.getService();
        if (named == null || System.getenv("KUBERNETES_SERVICE_HOST") == null) {
            return Optional.empty();
        }
        return services.stream()
                .filter(service -> service.getMetadata().getName().equals(named.getName())
                        && service.getMetadata().getNamespace().equals(named.getNamespace())
                        && isAddress(service.getSpec().getClusterIP()))
                .map(service -> new Address(
                        service.getSpec().getClusterIP(),
                        Optional.ofNullable(named.getPort()).orElse(PORT),
                        "%s.%s.svc".formatted(named.getName(), named.getNamespace())))
                .findFirst();
    }

    /**
     * Whether a cluster IP is an address. A headless Service has {@code None} instead, and a Service of type ExternalName has no cluster
     * IP.
     */
    static boolean isAddress(@Nullable String clusterIp) {
        return clusterIp != null && !clusterIp.isEmpty() && !clusterIp.equals("None");
    }

    private static boolean isLoopback(URI url) {
        return url.getHost() != null
                && (url.getHost().startsWith("127.")
                        || url.getHost().equals("localhost")
                        || url.getHost().equals("[::1]"));
    }

    private ServedCertificate look(Address address, String caBundle) {
        try {
            var seen = new Showing();
            call(address, seen.context(), false);
            var leaf = CertificateFacts.of(pem(seen.leaf()), "the webhook").get(0);
            return new ServedCertificate(
                    address.host() + ":" + address.port(), address.name(), leaf, distrust(address, caBundle));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the webhook at %s:%d cannot be called: %s"
                            .formatted(address.host(), address.port(), e.getMessage()),
                    e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "this Java runtime cannot set up TLS or encode the webhook's certificate: " + e.getMessage(), e);
        }
    }

    private String distrust(Address address, String caBundle) throws IOException {
        try {
            call(address, new TlsMaterial(caBundle, "", "", Instant.MAX).sslContextWithoutCertificate(), true);
            return "";
        } catch (SSLException | TlsException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void call(Address address, SSLContext context, boolean verify) throws IOException {
        int millis = Math.toIntExact(timeout.toMillis());
        try (var plain = new Socket()) {
            plain.connect(new InetSocketAddress(address.host(), address.port()), millis);
            plain.setSoTimeout(millis);
            try (var socket =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, address.name(), address.port(), true)) {
                var parameters = socket.getSSLParameters();
                if (verify) {
                    parameters.setEndpointIdentificationAlgorithm("HTTPS");
                }
                if (!address.name().matches("[0-9.]+|\\[.*]")) {
                    parameters.setServerNames(List.of(new SNIHostName(address.name())));
                }
                socket.setSSLParameters(parameters);
                socket.startHandshake();
            }
        }
    }

    private static String caBundle(WebhookClientConfig config) {
        try {
            return new String(
                    Base64.getMimeDecoder()
                            .decode(Optional.ofNullable(config.getCaBundle()).orElse("")),
                    StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static String pem(X509Certificate certificate) throws CertificateEncodingException {
        return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                .formatted(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded()));
    }

    /** A trust manager that accepts and records any certificate. That is safe, because no data is sent. */
    private static final class Showing implements X509TrustManager {

        private X509Certificate[] shown = {};

        SSLContext context() throws GeneralSecurityException {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, new SecureRandom());
            return context;
        }

        X509Certificate leaf() throws SSLException {
            if (shown.length == 0) {
                throw new SSLException("the server sent no certificate");
            }
            return shown[0];
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            shown = chain;
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
