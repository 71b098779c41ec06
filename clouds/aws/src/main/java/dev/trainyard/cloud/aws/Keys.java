package dev.trainyard.cloud.aws;

import dev.trainyard.core.TroubleshootingTopic;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/** A check of the form of static keys. Users often make mistakes when they write keys into a Secret by hand. */
final class Keys {

    /** "Unique identifiers" in the IAM user guide: AKIA for long-term keys, ASIA for sessions. */
    private static final Pattern ID = Pattern.compile("(AKIA|ASIA)[A-Z0-9]{12,124}");

    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9/+]{40}");

    /** The minimum length of a value that is masked in messages. A shorter value may be an ordinary word. */
    private static final int SHORTEST_SECRET = 16;

    private Keys() {}

    /** Returns the problem with the keys, for the user who wrote them; empty if none is found. The text never contains a secret. */
    static Optional<String> fault(String accessKeyId, String secretAccessKey) {
        return fault("access key id", accessKeyId, ID)
                .or(() -> fault("secret access key", secretAccessKey, SECRET))
                .or(() -> ID.matcher(accessKeyId).matches()
                        ? Optional.empty()
                        : Optional.of("the access key id must be AKIA or ASIA, then at least 12 capitals or digits"));
    }

    /** Returns the problem with a session token, which has no fixed form; empty if none is found. The text never contains the token. */
    static Optional<String> tokenFault(String token) {
        return token.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))
                ? Optional.of(lineBreak("session token"))
                : Optional.empty();
    }

    /** Returns the parts of credentials that must be kept secret. */
    static List<String> secrets(AwsCredentials credentials) {
        var token = credentials instanceof AwsSessionCredentials session ? session.sessionToken() : "";
        return Stream.of(credentials.secretAccessKey(), token)
                .filter(secret -> secret != null && secret.length() >= SHORTEST_SECRET)
                .toList();
    }

    private static String lineBreak(String what) {
        return "the %s contains a line break or a space: write the value with printf, not with echo".formatted(what);
    }

    private static Optional<String> fault(String what, String value, Pattern right) {
        if (right.matcher(value).matches()) {
            return Optional.empty();
        }
        if (right.matcher(value.replaceAll("\\s", "")).matches()) {
            return Optional.of(lineBreak(what));
        }
        return decoded(value)
                .filter(text -> right.matcher(text.strip()).matches())
                .map(text ->
                        "the %s is still base64-encoded: put the plain key into the Secret's stringData, or encode the key once for data%s%s"
                                .formatted(
                                        what,
                                        text.equals(text.strip()) ? "" : ", without the line break that echo adds",
                                        TroubleshootingTopic.KEY_STILL_ENCODED.see()));
    }

    private static Optional<String> decoded(String value) {
        try {
            return Optional.of(
                    new String(Base64.getDecoder().decode(value.replaceAll("\\s", "")), StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
