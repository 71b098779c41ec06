package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * What AWS's refusals of a call mean. Codes are those of "Common errors" and of each action's "Errors" in the API references of Auto
 * Scaling, EC2 and STS.
 */
final class ApiErrors {

    private static final Map<String, FailureKind> KINDS = Map.ofEntries(
            Map.entry("UnrecognizedClientException", FailureKind.AUTH),
            Map.entry("InvalidClientTokenId", FailureKind.AUTH),
            Map.entry("SignatureDoesNotMatch", FailureKind.AUTH),
            Map.entry("IncompleteSignature", FailureKind.AUTH),
            Map.entry("MissingAuthenticationToken", FailureKind.AUTH),
            Map.entry("AuthFailure", FailureKind.AUTH),
            Map.entry("AccessDenied", FailureKind.AUTH),
            Map.entry("AccessDeniedException", FailureKind.AUTH),
            Map.entry("UnauthorizedOperation", FailureKind.AUTH),
            Map.entry("NotAuthorized", FailureKind.AUTH),
            Map.entry("ExpiredToken", FailureKind.AUTH),
            Map.entry("ExpiredTokenException", FailureKind.AUTH),
            Map.entry("RequestExpired", FailureKind.AUTH),
            Map.entry("InvalidIdentityToken", FailureKind.AUTH),
            Map.entry("IDPRejectedClaim", FailureKind.AUTH),
            Map.entry("OptInRequired", FailureKind.AUTH),
            Map.entry("ScalingActivityInProgress", FailureKind.CONFLICT),
            Map.entry("ResourceContention", FailureKind.CONFLICT),
            Map.entry("ResourceInUse", FailureKind.CONFLICT),
            Map.entry("ValidationError", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidParameterValue", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidParameterCombination", FailureKind.INVALID_CONFIGURATION),
            Map.entry("MissingParameter", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidLaunchTemplateId.NotFound", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidLaunchTemplateId.VersionNotFound", FailureKind.INVALID_CONFIGURATION));

    private static final String NO_CREDENTIALS = "Unable to load credentials";

    /** How the JDK begins to refuse a header; the header follows, whole. */
    private static final String ILLEGAL_HEADER = "Illegal character(s) in message header value";

    /** Then follows the whole request as AWS had it, with the session token; in one line or in several. */
    private static final String REPEATED_REQUEST = "The Canonical String for this request";

    /** Then follows a text that only {@code sts:DecodeAuthorizationMessage} can read, and that is another one each time. */
    private static final String ENCODED = "Encoded authorization failure message";

    private static final String ASSUMING = "sts:AssumeRoleWithWebIdentity";

    private static final String UNKNOWN_KEY = "the access key id is not known to AWS, or not active, in this region";

    private ApiErrors() {}

    /**
     * @param action such as {@code autoscaling:SetDesiredCapacity}
     * @param keys what is wrong with the keys in use, where that can be told
     */
    static ProviderException of(String action, SdkException e, Optional<String> keys) {
        if (e instanceof AwsServiceException refusal && refusal.awsErrorDetails() != null) {
            return refused(action, refusal, keys);
        }
        var words = words(e);
        if (words.contains(NO_CREDENTIALS)) {
            return new ProviderException(
                    FailureKind.AUTH,
                    "%s: no AWS credentials: give the scaler's ServiceAccount a role (annotation eks.amazonaws.com/role-arn), or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, see docs/aws.md: %s"
                            .formatted(action, words));
        }
        if (e instanceof AbortedException) {
            Thread.currentThread().interrupt();
        }
        return new ProviderException(
                kindOf(words),
                "%s: %s%s"
                        .formatted(
                                action, words, keys.map(fault -> "; " + fault).orElse("")));
    }

    /** What an exception says, without what the JDK repeats of a header that it cannot send: it may be a session token. */
    static String words(RuntimeException e) {
        var words = String.valueOf(e.getMessage());
        int header = words.indexOf(ILLEGAL_HEADER);
        return legible(header < 0 ? words : words.substring(0, header + ILLEGAL_HEADER.length()));
    }

    /** Of what did not come to a refusal: keys that no header can hold are no passing trouble. */
    static FailureKind kindOf(String words) {
        return words.contains(ILLEGAL_HEADER) ? FailureKind.AUTH : FailureKind.TRANSIENT;
    }

    /** What AWS says as far as it is of use to whoever reads it, and no secret. */
    static String legible(String message) {
        var words = message;
        for (var tail : List.of(REPEATED_REQUEST, ENCODED)) {
            int start = words.indexOf(tail);
            words = start < 0 ? words : words.substring(0, start);
        }
        return words.strip();
    }

    /** Whether AWS knows who asks and refuses one thing; else it refuses whoever asks. */
    static boolean isAboutARight(String words) {
        return Stream.of("AccessDenied", "UnauthorizedOperation", "NotAuthorized")
                        .anyMatch(words::contains)
                && !words.contains(ASSUMING);
    }

    static boolean isValidation(AwsServiceException e) {
        return e.awsErrorDetails() != null
                && "ValidationError".equals(e.awsErrorDetails().errorCode());
    }

    private static ProviderException refused(String action, AwsServiceException e, Optional<String> keys) {
        if (e.awsErrorDetails().errorCode() == null && e.statusCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            // EC2's answer to keys that it does not know; the JDK's HTTP client keeps its text to itself.
            return new ProviderException(
                    FailureKind.AUTH, "%s: AuthFailure (status 401); %s".formatted(action, keys.orElse(UNKNOWN_KEY)));
        }
        var code = String.valueOf(e.awsErrorDetails().errorCode());
        var kind = e.isThrottlingException() || e.statusCode() == 429
                ? FailureKind.THROTTLED
                : KINDS.getOrDefault(plain(code), FailureKind.TRANSIENT);
        var words = "%s: %s: %s"
                .formatted(
                        action, code, legible(String.valueOf(e.awsErrorDetails().errorMessage())));
        return new ProviderException(
                kind,
                kind == FailureKind.AUTH ? words + "; " + remedy(action, code, words, keys) : words,
                retryAfter(e).orElse(null));
    }

    private static String remedy(String action, String code, String words, Optional<String> keys) {
        if (words.contains(ASSUMING)) {
            return "the trust policy of the role must name the scaler's ServiceAccount; no other keys are tried";
        }
        return switch (code) {
            case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized" ->
                "allow %s, as manifests/aws/iam-policy.json does%s"
                        .formatted(
                                action,
                                // What only reads is allowed of all.
                                action.contains(":Describe")
                                        ? ""
                                        : " for groups whose tag %s is that of the role".formatted(Rights.CLUSTER_TAG));
            case "ExpiredToken", "ExpiredTokenException", "RequestExpired" ->
                "the session has ended: a role of the ServiceAccount is renewed by itself, a token in a Secret is not";
            case "SignatureDoesNotMatch" -> keys.orElse("the secret access key is not the one of this access key id");
            default -> keys.orElse(UNKNOWN_KEY);
        };
    }

    /** The SDK and the services write some codes with a suffix and some without. */
    private static String plain(String code) {
        return code.endsWith("Fault") ? code.substring(0, code.length() - "Fault".length()) : code;
    }

    private static Optional<Duration> retryAfter(AwsServiceException e) {
        var response = e.awsErrorDetails().sdkHttpResponse();
        if (response == null) {
            return Optional.empty();
        }
        try {
            return response.firstMatchingHeader("Retry-After")
                    .map(String::strip)
                    .map(Long::parseLong)
                    .filter(seconds -> seconds >= 0)
                    .map(Duration::ofSeconds);
        } catch (NumberFormatException notSeconds) {
            return Optional.empty();
        }
    }
}
