package dev.trainyard.cloud.aws;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
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
 * How AWS is reached.
 *
 * @param endpoint of all services instead of AWS's own; for doubles of AWS
 * @param trust who vouches for the endpoint; empty: those whom the JVM trusts
 * @param credentials who the scaler is
 * @param attemptTimeout after which one request is given up
 * @param callTimeout after which a call is given up, repetitions included
 * @param firstPause before the SDK repeats a request that failed; doubled and jittered
 */
record AwsSettings(
        Optional<URI> endpoint,
        Optional<TrustManager[]> trust,
        AwsCredentialsProvider credentials,
        Duration attemptTimeout,
        Duration callTimeout,
        Duration firstPause) {

    /** The variable by which AWS's own tools are told of a certificate authority, a file in PEM. */
    private static final String CA_VARIABLE = "AWS_CA_BUNDLE";

    /**
     * AWS itself, as who we are. The SDK's own variables {@code AWS_ENDPOINT_URL} and the like lead elsewhere.
     *
     * @throws IllegalArgumentException when {@code AWS_CA_BUNDLE} names no certificates, or a role is named by half; the message is for the
     *     user
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
     * The role of the ServiceAccount where it has one, and nobody else then: keys that were left in a Secret are not who was meant. Otherwise
     * the role of the pod, then keys and whatever else the SDK's default chain knows.
     *
     * @param trust who vouches for STS, which the role is asked of
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

    private static TrustManager[] trust(Path authorities) {
        try (InputStream pem = Files.newInputStream(authorities)) {
            return trust(pem);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "%s: %s cannot be used: %s; name a file with certificates in PEM"
                            .formatted(CA_VARIABLE, authorities, e.getMessage()),
                    e);
        }
    }

    /** Trusts the certificates in {@code pem}, and no others. */
    static TrustManager[] trust(InputStream pem) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int i = 0;
        for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
            store.setCertificateEntry("authority-" + i++, certificate);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust.getTrustManagers();
    }
}
