package dev.trainyard.runtime.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.File;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Messages for users about an API server that did not answer. */
public final class ConnectionFailures {

    private ConnectionFailures() {}

    /** Returns one line with the cluster, the problem with the connection or the credentials, and the remedy. */
    public static String words(Config config, KubernetesClientException problem) {
        return isStranger(problem)
                ? ("the cluster at %s rejected the login (%s): the credentials of %s are missing, invalid or expired;"
                                + " log in again, or name another kubeconfig with --kubeconfig")
                        .formatted(
                                config.getMasterUrl(),
                                problem.getCode() > 0
                                        ? "401 Unauthorized"
                                        : "the server closed the connection with GOAWAY",
                                user(config))
                : "the cluster at %s cannot be reached: %s; name another cluster with --kubeconfig"
                        .formatted(config.getMasterUrl(), reason(problem));
    }

    /** Returns the reason of the failure, never empty. */
    public static String reason(KubernetesClientException problem) {
        if (problem.getStatus() != null && problem.getStatus().getMessage() != null) {
            return problem.getStatus().getMessage();
        }
        if (has(problem, UnresolvedAddressException.class) || has(problem, UnknownHostException.class)) {
            return "the host name is unknown";
        }
        if (has(problem, HttpTimeoutException.class) || has(problem, SocketTimeoutException.class)) {
            return "the server does not answer in time";
        }
        if (has(problem, SSLException.class)) {
            return "the server's certificate is not trusted, or the server does not use TLS: " + root(problem);
        }
        return has(problem, ConnectException.class) ? "no server answers at this address" : root(problem);
    }

    /**
     * Whether the API server rejected the credentials. In this case the server also closes the HTTP/2 connection, possibly before its
     * response arrives.
     */
    private static boolean isStranger(KubernetesClientException problem) {
        return problem.getCode() == HttpURLConnection.HTTP_UNAUTHORIZED
                || (problem.getCode() <= 0
                        && causes(problem)
                                .anyMatch(cause ->
                                        String.valueOf(cause.getMessage()).contains("GOAWAY")));
    }

    private static String user(Config config) {
        var name = Optional.ofNullable(config.getCurrentContext())
                .map(context -> context.getContext())
                .map(context -> context.getUser())
                .filter(user -> !user.isEmpty());
        var file = Optional.ofNullable(config.getFile()).map(File::getPath);
        return name.map(user -> "user '%s'".formatted(user)).orElse("this user")
                + file.map(" of kubeconfig %s"::formatted).orElse("");
    }

    private static boolean has(Throwable problem, Class<? extends Throwable> type) {
        return causes(problem).anyMatch(type::isInstance);
    }

    private static String root(Throwable problem) {
        var root = causes(problem).reduce((outer, inner) -> inner).orElse(problem);
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    private static Stream<Throwable> causes(Throwable problem) {
        return Stream.iterate(problem, cause -> cause != null, Throwable::getCause);
    }
}
