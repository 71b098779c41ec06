package dev.trainyard.cli.check;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.regex.Pattern;

/** Functions that interpret errors of the API server. */
final class ClusterErrors {

    /** The API server's message about a missing right, from {@code responsewriters.ForbiddenStatusError} and the RBAC authorizer. */
    private static final Pattern FORBIDDEN = Pattern.compile(
            ".*cannot (\\S+) resource \"([^\"]+)\" in API group \"([^\"]*)\"(?: in the namespace \"([^\"]+)\")?.*",
            Pattern.DOTALL);

    private static final String MISSING_RIGHT = "needs the right to ";

    private ClusterErrors() {}

    /** Whether the cluster was reached, and accepted the credentials. */
    static boolean isAnswer(KubernetesClientException e) {
        return e.getCode() > 0 && e.getCode() != HttpURLConnection.HTTP_UNAUTHORIZED;
    }

    /** Returns why something could not be read: the missing right if there is one, else the error's message. */
    static String problem(KubernetesClientException e) {
        return missingRight(e).map(ClusterErrors::missing).orElseGet(() -> message(e));
    }

    /** Returns the text of a problem: that {@code right} is missing. */
    static String missing(String right) {
        return MISSING_RIGHT + right;
    }

    /** Whether the text of a problem is about a missing right. */
    static boolean isMissingRight(String problem) {
        return problem.contains(MISSING_RIGHT);
    }

    /** Returns the missing right, such as {@code list pods in team}; empty if the error has another cause. */
    static Optional<String> missingRight(KubernetesClientException e) {
        var matcher = FORBIDDEN.matcher(message(e));
        if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN || !matcher.matches()) {
            return Optional.empty();
        }
        var group = matcher.group(3);
        var namespace = matcher.group(4);
        return Optional.of("%s %s%s%s"
                .formatted(
                        matcher.group(1),
                        matcher.group(2),
                        group.isEmpty() ? "" : "." + group,
                        namespace == null ? "" : " in " + namespace));
    }

    static String message(KubernetesClientException e) {
        if (e.getStatus() != null && e.getStatus().getMessage() != null) {
            return e.getStatus().getMessage();
        }
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
