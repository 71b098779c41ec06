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
 * The meaning of AWS's error codes. The codes are listed under "Common errors" and under each action's "Errors" in the API references of
 * Auto Scaling, EC2 and STS.
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
            Map.entry("MaxConfigLimitExceeded", FailureKind.QUOTA),
            Map.entry("ValidationError", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidParameterValue", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidParameterCombination", FailureKind.INVALID_CONFIGURATION),
            Map.entry("MissingParameter", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidLaunchTemplateId.NotFound", FailureKind.INVALID_CONFIGURATION),
            Map.entry("InvalidLaunchTemplateId.VersionNotFound", FailureKind.INVALID_CONFIGURATION));

    private static final String NO_CREDENTIALS = "Unable to load credentials";

    /** The start of the JDK's message about an invalid header. The whole header follows. */
    private static final String ILLEGAL_HEADER = "Illegal character(s) in message header value";

    /**
     * The start of the part of AWS's message that repeats the whole request, including the session token. {@link #legible} removes this
     * part.
     */
    private static final String REPEATED_REQUEST = "The Canonical String for this request";

    /** The start of a text that only {@code sts:DecodeAuthorizationMessage} can decode. The text differs in each answer. */
    private static final String ENCODED = "Encoded authorization failure message";

    private static final String ASSUMING = "sts:AssumeRoleWithWebIdentity";

    private static final String UNKNOWN_KEY = "the access key id is not known to AWS, or not active, in this region";

    private ApiErrors() {}

    /**
     * @param action such as {@code autoscaling:SetDesiredCapacity}
     * @param keys what is wrong with the form of the AWS access keys in use; empty if nothing was found
     */
    static ProviderException of(String action, SdkException e, Optional<String> keys) {
        if (e instanceof AwsServiceException refusal && refusal.awsErrorDetails() != null) {
            return refused(action, refusal, keys);
        }
        var words = words(e);
        if (words.contains(NO_CREDENTIALS)) {
            return new ProviderException(
                    FailureKind.AUTH,
                    "%s: no AWS credentials were found; give the scaler's ServiceAccount a role with annotation eks.amazonaws.com/role-arn, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; see docs/aws.md; the AWS SDK reports: %s"
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

    /**
     * Returns the message of an exception. If the JDK repeats an invalid header in the message, the header is removed, since it may be a
     * session token.
     */
    static String words(RuntimeException e) {
        var words = String.valueOf(e.getMessage());
        int header = words.indexOf(ILLEGAL_HEADER);
        return legible(header < 0 ? words : words.substring(0, header + ILLEGAL_HEADER.length()));
    }

    /**
     * Returns the kind of an error that is not an answer of AWS. Keys with characters that are invalid in an HTTP header are a permanent
     * error.
     */
    static FailureKind kindOf(String words) {
        return words.contains(ILLEGAL_HEADER) ? FailureKind.AUTH : FailureKind.TRANSIENT;
    }

    /** Returns AWS's message without secrets and without parts that users cannot read. */
    static String legible(String message) {
        var words = message;
        for (var tail : List.of(REPEATED_REQUEST, ENCODED)) {
            int start = words.indexOf(tail);
            words = start < 0 ? words : words.substring(0, start);
        }
        return words.strip();
    }

    /** Whether AWS accepts the identity and refuses only this action. */
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
            // EC2's answer to unknown keys. The JDK's HTTP client hides the text of the answer.
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
            return "name the scaler's ServiceAccount in the trust policy of the role; the scaler tries no other keys";
        }
        return switch (code) {
            case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized" ->
                "allow %s, as manifests/aws/iam-policy.json does%s".formatted(action, scope(action));
            case "ExpiredToken", "ExpiredTokenException", "RequestExpired" ->
                "the session has expired: AWS renews the session of a ServiceAccount's role, but not a token in a Secret";
            case "SignatureDoesNotMatch" -> keys.orElse("the secret access key does not belong to this access key id");
            default -> keys.orElse(UNKNOWN_KEY);
        };
    }

    /** Returns for what the shipped policy allows an action. */
    private static String scope(String action) {
        if (action.startsWith("sqs:")) {
            return " for the queue 'trainyard-' and the value of the role's tag " + Rights.CLUSTER_TAG;
        }
        // Reads are allowed for all groups.
        return action.contains(":Describe") || action.contains(":Get")
                ? ""
                : " for groups whose tag %s equals the tag of the role".formatted(Rights.CLUSTER_TAG);
    }

    /** Returns the code without the suffix that the SDK and the services add to some codes. */
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
