package dev.trainyard.cloud.aws;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.autoscaling.AutoScalingClient;
import software.amazon.awssdk.services.autoscaling.AutoScalingClientBuilder;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The SDK's clients for one region, over the JDK's HTTP client. Thread-safe. */
final class AwsClients implements AutoCloseable {

    /** The number of attempts of a read request. A write request is repeated only by its caller, who reads the group again first. */
    private static final int ATTEMPTS = 2;

    private final AwsSettings settings;
    private final SdkHttpClient http;
    private final AutoScalingClient reading;
    private final AutoScalingClient writing;
    private final Ec2Client ec2;
    private final String region;
    private @Nullable SqsClient sqs;
    private @Nullable SdkHttpClient patient;

    AwsClients(String region, AwsSettings settings) {
        this.settings = settings;
        this.region = region;
        http = http(settings);
        reading = configured(AutoScalingClient.builder(), settings, http, ATTEMPTS)
                .build();
        AutoScalingClientBuilder once = configured(AutoScalingClient.builder(), settings, http, 1);
        writing = once.build();
        ec2 = configured(Ec2Client.builder(), settings, http, ATTEMPTS).build();
    }

    private static SdkHttpClient http(AwsSettings settings) {
        var builder = UrlConnectionHttpClient.builder()
                .connectionTimeout(settings.attemptTimeout())
                .socketTimeout(settings.attemptTimeout());
        settings.trust().ifPresent(trust -> builder.tlsTrustManagersProvider(() -> trust));
        return builder.build();
    }

    /** Returns the client for requests that change nothing. A failed request is repeated once. */
    AutoScalingClient reading() {
        return reading;
    }

    /** Returns the client for requests that change something. No request is repeated. */
    AutoScalingClient writing() {
        return writing;
    }

    Ec2Client ec2() {
        return ec2;
    }

    /** Returns the client for queues, which waits for an answer longer than the other clients. No request is repeated. */
    synchronized SqsClient sqs() {
        if (sqs == null) {
            var longer = settings.withLongerTimeouts(AwsCalls.LONG_POLL);
            patient = http(longer);
            sqs = configured(SqsClient.builder(), longer, patient, 1).build();
        }
        return sqs;
    }

    /** Returns the credentials in use; empty if there are none. */
    Optional<AwsCredentials> credentials() {
        try {
            return Optional.of(settings.credentials().resolveCredentials());
        } catch (SdkException e) {
            return Optional.empty();
        }
    }

    private <B extends AwsClientBuilder<B, ?> & AwsSyncClientBuilder<B, ?>> B configured(
            B builder, AwsSettings settings, SdkHttpClient http, int attempts) {
        var retries = DefaultRetryStrategy.standardStrategyBuilder()
                .useClientDefaults(false)
                .retryOnException(AwsClients::passes)
                .maxAttempts(attempts)
                .backoffStrategy(BackoffStrategy.exponentialDelay(
                        settings.firstPause(), settings.firstPause().multipliedBy(8)))
                .build();
        settings.endpoint().ifPresent(builder::endpointOverride);
        return builder.httpClient(http)
                .region(Region.of(region))
                .credentialsProvider(settings.credentials())
                .overrideConfiguration(options -> options.apiCallTimeout(settings.callTimeout())
                        .apiCallAttemptTimeout(settings.attemptTimeout())
                        .retryStrategy(retries));
    }

    /**
     * Whether the SDK may repeat a failed request. A throttled request is never repeated, since the SDK would first sleep as long as AWS
     * asks, and other pools would wait.
     */
    private static boolean passes(Throwable e) {
        if (e instanceof SdkServiceException refusal) {
            return refusal.statusCode() >= HttpURLConnection.HTTP_INTERNAL_ERROR && !refusal.isThrottlingException();
        }
        return e instanceof ApiCallAttemptTimeoutException
                || e instanceof RetryableException
                || (e instanceof SdkClientException && e.getCause() instanceof IOException);
    }

    @Override
    public synchronized void close() {
        if (sqs != null && patient != null) {
            sqs.close();
            patient.close();
        }
        reading.close();
        writing.close();
        ec2.close();
        http.close();
    }
}
