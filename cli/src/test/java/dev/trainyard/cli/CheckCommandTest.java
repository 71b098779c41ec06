package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that {@code check} reports an unreachable cluster in one line with the cause, instead of as findings. */
class CheckCommandTest {

    @TempDir
    private Path directory;

    private Path kubeconfig = Path.of("");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "c | c | u | https://no-such-host.invalid:6443 | {token: x} | the cluster at https://no-such-host.invalid:6443/ cannot be reached: the host name is unknown; name another cluster with --kubeconfig",
                "c | c | u | https://127.0.0.1:1 | {token: x} | the cluster at https://127.0.0.1:1/ cannot be reached: no server answers at this address; name another cluster with --kubeconfig",
                "gone | c | u | https://127.0.0.1:1 | {token: x} | kubeconfig FILE: current-context = gone, expected one of its contexts: c; choose one with 'kubectl config use-context NAME --kubeconfig FILE'",
                "'' | c | u | https://127.0.0.1:1 | {token: x} | kubeconfig FILE: current-context = (nothing), expected one of its contexts: c; choose one with 'kubectl config use-context NAME --kubeconfig FILE'",
                "c | gone | u | https://127.0.0.1:1 | {token: x} | kubeconfig FILE: contexts[c].context.cluster = gone, expected one of its clusters: c; name one of them, or choose another context",
                "c | c | gone | https://127.0.0.1:1 | {token: x} | kubeconfig FILE: contexts[c].context.user = gone, expected one of its users: u; name one of them, or choose another context",
                "c | c | u | https://127.0.0.1:1 | {exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, interactiveMode: Never}} | kubeconfig FILE: users[u].user.exec.command = no-such-plugin, expected a program that is on the PATH; install it",
                "c | c | u | https://127.0.0.1:1 | {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never, installHint: get it}} | kubeconfig FILE: users[u].user.exec.command = ./plugin, expected a program that is on the PATH; get it",
                "c | c | u | https://127.0.0.1:1 | {client-certificate: none.crt} | kubeconfig FILE: users[u].user.client-certificate = none.crt, expected a file that can be read; restore the file, or log in to the cluster again",
                "c | c | u | https://exa mple:x | {token: x} | kubeconfig FILE: clusters[c].cluster.server = https://exa mple:x, expected an address such as https://10.0.0.1:6443; write the address of your cluster's API server",
                "c | c | u | ht!tp://x | {token: x} | kubeconfig FILE: clusters[c].cluster.server = ht!tp://x, expected an address such as https://10.0.0.1:6443; write the address of your cluster's API server",
                "c | c | u | example.com:99999 | {token: x} | kubeconfig FILE: clusters[c].cluster.server = example.com:99999, expected an address such as https://10.0.0.1:6443; write the address of your cluster's API server",
                "c | c | u | '' | {token: x} | kubeconfig FILE: clusters[c].cluster.server = (nothing), expected an address such as https://10.0.0.1:6443; write the address of your cluster's API server"
            })
    void aKubeconfigThatLeadsNowhereIsNoClusterWithProblems(
            String current, String cluster, String user, String server, String credentials, String told)
            throws IOException {
        write(current, cluster, user, server, credentials);
        assertThat(complaint()).isEqualTo("trainyard: " + told.replace("FILE", kubeconfig.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing", "apiVersion: v1\nkind: Config\n"})
    void anEmptyKubeconfigIsNamed(String text) throws IOException {
        kubeconfig = Files.writeString(directory.resolve("kubeconfig"), text);
        assertThat(complaint())
                .isEqualTo(
                        "trainyard: kubeconfig %s: has neither clusters nor contexts; name a file that kubectl can use",
                        kubeconfig);
    }

    @Test
    void credentialsThatTheClusterDoesNotKnowAreNamed() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var status =
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}"
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(401, status.length);
            exchange.getResponseBody().write(status);
            exchange.close();
        });
        server.start();
        try {
            var address = "http://127.0.0.1:" + server.getAddress().getPort();
            write("c", "c", "u", address, "{token: wrong}");
            assertThat(complaint())
                    .isEqualTo(
                            "trainyard: the cluster at %s/ rejected the login (401 Unauthorized): the credentials of user 'u' of kubeconfig %s are missing, invalid or expired; log in again, or name another kubeconfig with --kubeconfig",
                            address, kubeconfig);
        } finally {
            server.stop(0);
        }
    }

    private void write(String current, String cluster, String user, String server, String credentials)
            throws IOException {
        kubeconfig = Files.writeString(
                directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s"}}]
                contexts: [{name: c, context: {cluster: %s, user: %s}}]
                users: [{name: u, user: %s}]
                current-context: "%s"
                """.formatted(server, cluster, user, credentials, current));
    }

    /** Returns the only line of output. */
    private String complaint() {
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("check", "--kubeconfig", kubeconfig.toString());
        assertThat(exitCode).as(err.toString()).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        return err.toString().strip();
    }
}
