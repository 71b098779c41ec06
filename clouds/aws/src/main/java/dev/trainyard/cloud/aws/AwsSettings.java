package dev.trainyard.cloud.aws;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/**
 * The settings of connections to AWS.
 *
 * @param endpoint an endpoint that replaces AWS's own endpoints, for emulators; empty for AWS itself
 * @param trust the trusted certificate authorities; empty for those of the JVM
 * @param credentials the credentials of the scaler
 * @param attemptTimeout the timeout of one request
 * @param callTimeout the timeout of a call, including retries
 * @param firstPause the delay before the SDK's first retry; each later delay is twice as long, and all delays have jitter
 */
record AwsSettings(
        Optional<URI> endpoint,
        Optional<TrustManager[]> trust,
        AwsCredentialsProvider credentials,
        Duration attemptTimeout,
        Duration callTimeout,
        Duration firstPause) {

    /** The variable that names a PEM file of certificate authorities, as for AWS's own tools. */
    private static final String CA_VARIABLE = "AWS_CA_BUNDLE";

    /**
     * Returns the settings for AWS itself, with the credentials of the environment. The SDK's own variables, such as {@code AWS_ENDPOINT_URL},
     * can change the endpoint.
     *
     * @throws IllegalArgumentException if {@code AWS_CA_BUNDLE} names a missing or invalid file, or a role is configured only in part; the
     *     message is for the user
     */
    static AwsSettings usual(String region) {
        var trust = Optional.ofNullable(System.getenv(CA_VARIABLE))
                .filter(path -> !path.isBlank())
                .map(path -> trust(Path.of(path)));
        return new AwsSettings(
                Optional.empty(),
                trust,
                identity(region, trust),
                Duration.ofSeconds(5),
                Duration.ofSeconds(9),
                Duration.ofMillis(100));
    }

    /**
     * Returns the scaler's credentials. If the ServiceAccount has a role, only the role's credentials are tried, and never keys that were
     * left in a Secret. Otherwise, the pod's role is tried first, then keys and the rest of the SDK's default chain.
     *
     * @param trust the trusted certificate authorities of STS, which issues the role's credentials
     */
    static AwsCredentialsProvider identity(String region, Optional<TrustManager[]> trust) {
        if (SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE.getStringValue().isPresent()) {
            return roleOfServiceAccount(region, trust);
        }
        return AwsCredentialsProviderChain.builder()
                .credentialsProviders(
                        ContainerCredentialsProvider.builder().build(),
                        DefaultCredentialsProvider.builder().build())
                .reuseLastProviderEnabled(true)
                .build();
    }

    private static AwsCredentialsProvider roleOfServiceAccount(String region, Optional<TrustManager[]> trust) {
        if (SdkSystemSetting.AWS_ROLE_ARN.getStringValue().isEmpty()) {
            throw new IllegalArgumentException(
                    "AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not: annotate the scaler's ServiceAccount with eks.amazonaws.com/role-arn");
        }
        var http = UrlConnectionHttpClient.builder();
        trust.ifPresent(authorities -> http.tlsTrustManagersProvider(() -> authorities));
        return StsWebIdentityTokenFileCredentialsProvider.builder()
                .stsClient(StsClient.builder()
                        .region(Region.of(region))
                        .httpClient(http.build())
                        .credentialsProvider(AnonymousCredentialsProvider.create())
                        .build())
                .build();
    }

    /** Returns these settings for requests whose answers AWS delays by up to {@code delay}. */
    AwsSettings withLongerTimeouts(Duration delay) {
        return new AwsSettings(
                endpoint, trust, credentials, attemptTimeout.plus(delay), callTimeout.plus(delay), firstPause);
    }

    static TrustManager[] trust(Path authorities) {
        try (InputStream pem = Files.newInputStream(authorities)) {
            return trust(pem);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "%s: %s cannot be used: %s; name a file with certificates in PEM"
                            .formatted(CA_VARIABLE, authorities, e.getMessage()),
                    e);
        }
    }

    /**
     * Returns trust managers for the certificates in {@code pem} only.
     *
     * @throws GeneralSecurityException if a certificate is invalid, or there is none
     */
    static TrustManager[] trust(InputStream pem) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int i = 0;
        for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
            store.setCertificateEntry("authority-" + i++, certificate);
        }
        if (i == 0) {
            throw new CertificateException("the file has no certificate");
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }
}
