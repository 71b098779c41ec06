package dev.trainyard.runtime.kubernetes;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A check for mistakes in a kubeconfig before it is used. The client does not report most mistakes; instead, the client connects to another
 * address, or without credentials.
 */
final class Kubeconfig {

    private static final int LAST_PORT = 65_535;

    private final Path file;
    private final Config config;

    private Kubeconfig(Path file, Config config) {
        this.file = file;
        this.config = config;
    }

    /**
     * Checks a file. A file that is not YAML passes, because the client itself reports this mistake.
     *
     * @throws IllegalArgumentException if the file cannot lead to a cluster; the message names file, field, value and remedy
     */
    static void check(Path file) {
        Config config;
        try {
            config = Serialization.unmarshal(Files.readString(file), Config.class);
        } catch (IOException | RuntimeException e) {
            return;
        }
        if (config == null
                || (list(config.getContexts()).isEmpty()
                        && list(config.getClusters()).isEmpty())) {
            throw new IllegalArgumentException(
                    "kubeconfig %s: has neither clusters nor contexts; name a file that kubectl can use"
                            .formatted(file));
        }
        new Kubeconfig(file, config).check();
    }

    private void check() {
        var context = context();
        var cluster = named(
                "cluster",
                text(context.getCluster()),
                config.getClusters(),
                NamedCluster::getName,
                NamedCluster::getCluster);
        server(text(context.getCluster()), cluster);
        if (!text(context.getUser()).isEmpty()) {
            user(
                    text(context.getUser()),
                    named(
                            "user",
                            context.getUser(),
                            config.getUsers(),
                            NamedAuthInfo::getName,
                            NamedAuthInfo::getUser));
        }
    }

    private Context context() {
        var current = text(config.getCurrentContext());
        var names = names(config.getContexts(), NamedContext::getName);
        return list(config.getContexts()).stream()
                .filter(one -> current.equals(one.getName()) && one.getContext() != null)
                .findFirst()
                .map(NamedContext::getContext)
                .orElseThrow(() -> problem(
                        "current-context",
                        current,
                        "one of its contexts: " + names,
                        "choose one with 'kubectl config use-context NAME --kubeconfig %s'".formatted(file)));
    }

    private <N, T> T named(
            String kind,
            String name,
            @Nullable List<N> all,
            Function<N, @Nullable String> nameOf,
            Function<N, T> value) {
        return list(all).stream()
                .filter(one -> name.equals(nameOf.apply(one)))
                .findFirst()
                .map(value)
                .orElseThrow(() -> problem(
                        "contexts[%s].context.%s".formatted(config.getCurrentContext(), kind),
                        name,
                        "one of its %ss: %s".formatted(kind, names(all, nameOf)),
                        "name one of them, or choose another context"));
    }

    private void server(String name, Cluster cluster) {
        var field = "clusters[%s].cluster.".formatted(name);
        if (!isAddress(text(cluster.getServer()))) {
            throw problem(
                    field + "server",
                    text(cluster.getServer()),
                    "an address such as https://10.0.0.1:6443",
                    "write the address of your cluster's API server");
        }
        file(field + "certificate-authority", cluster.getCertificateAuthority());
    }

    private void user(String name, AuthInfo user) {
        var field = "users[%s].user.".formatted(name);
        file(field + "client-certificate", user.getClientCertificate());
        file(field + "client-key", user.getClientKey());
        file(field + "tokenFile", user.getTokenFile());
        if (user.getExec() != null && !isProgram(user.getExec())) {
            throw problem(
                    field + "exec.command",
                    text(user.getExec().getCommand()),
                    "a program that is on the PATH",
                    Optional.ofNullable(user.getExec().getInstallHint())
                            .map(hint -> hint.strip().replaceAll("\\s*\\R\\s*", " "))
                            .filter(hint -> !hint.isEmpty())
                            .orElse("install it"));
        }
    }

    private void file(String field, @Nullable String value) {
        if (!text(value).isEmpty() && !Files.isReadable(beside(text(value)))) {
            throw problem(
                    field, text(value), "a file that can be read", "restore the file, or log in to the cluster again");
        }
    }

    private boolean isProgram(ExecConfig exec) {
        var command = text(exec.getCommand());
        if (command.contains("/") || command.contains(File.separator)) {
            return Files.isExecutable(beside(command));
        }
        var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return !command.isEmpty()
                && Pattern.compile(Pattern.quote(File.pathSeparator))
                        .splitAsStream(path)
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /** Resolves a name relative to the kubeconfig's directory. */
    private Path beside(String name) {
        return file.toAbsolutePath().resolveSibling(name);
    }

    private static boolean isAddress(String server) {
        try {
            var address = new URI(server.contains("://") ? server : "http://" + server);
            return List.of("http", "https").contains(address.getScheme())
                    && address.getHost() != null
                    && address.getPort() <= LAST_PORT;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private IllegalArgumentException problem(String field, String value, String expected, String todo) {
        return new IllegalArgumentException("kubeconfig %s: %s = %s, expected %s; %s"
                .formatted(file, field, value.isEmpty() ? "(nothing)" : value, expected, todo));
    }

    private static <N> String names(@Nullable List<N> all, Function<N, @Nullable String> nameOf) {
        var names = list(all).stream().map(one -> text(nameOf.apply(one))).toList();
        return names.isEmpty() ? "there is none" : String.join(", ", names);
    }

    private static <N> List<N> list(@Nullable List<N> list) {
        return list == null ? List.of() : list;
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
