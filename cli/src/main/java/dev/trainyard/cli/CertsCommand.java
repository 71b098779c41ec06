package dev.trainyard.cli;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.certs.TlsException;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code trainyard certs}. */
@Command(
        name = "certs",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Creates, shows and verifies certificate files, for users who manage certificates themselves.",
        subcommands = {CertsCommand.Issue.class, CertsCommand.Show.class, CertsCommand.Verify.class})
public final class CertsCommand implements Runnable {

    private static final List<String> FILES = List.of("ca.crt", "tls.crt");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public void run() {
        throw new ParameterException(
                command.commandLine(), "certs: the subcommand is missing; expected one of issue, show, verify");
    }

    /** The DNS names and addresses of a certificate. */
    private static final class WantedNames {
        @Option(
                names = "--dns",
                paramLabel = "NAME",
                description = "A DNS name that the certificate covers; may be repeated.")
        private List<String> dns = List.of();

        @Option(
                names = "--ip",
                paramLabel = "ADDRESS",
                description = "An IP address that the certificate covers; may be repeated.")
        private List<String> addresses = List.of();

        LeafRequest on(LeafRequest request) {
            return request.withDnsNames(dns.toArray(String[]::new)).withIpAddresses(addresses.toArray(String[]::new));
        }
    }

    /** Whether a server, a client or both can use a certificate. */
    private static final class WantedUse {
        @Option(names = "--client", description = "Issue a client certificate. Default: a server certificate.")
        private boolean client;

        @Option(names = "--both", description = "Issue a certificate for both server and client.")
        private boolean both;

        LeafRequest request(String name) {
            return both
                    ? LeafRequest.forServerAndClient(name)
                    : client ? LeafRequest.forClient(name) : LeafRequest.forServer(name);
        }
    }

    /** {@code trainyard certs issue}. */
    @Command(
            name = "issue",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Writes a certificate into a directory for --tls-dir: ca.crt, tls.crt and tls.key. If the CA "
                    + "is created there too, also writes ca.key.")
    static final class Issue implements Callable<Integer> {

        @Option(names = "--dir", paramLabel = "DIR", required = true, description = "The directory to write to.")
        private Path directory = Path.of("");

        @Option(
                names = "--ca-dir",
                paramLabel = "DIR",
                description = "Sign with the ca.key of this directory; the key is not copied. Default: the ca.key of "
                        + "--dir, which is created if missing.")
        private @Nullable Path authority;

        @Option(
                names = "--name",
                paramLabel = "NAME",
                required = true,
                description = "The common name, such as trainyard-webhook.")
        private String name = "";

        @ArgGroup(exclusive = false)
        private WantedNames names = new WantedNames();

        @ArgGroup
        private WantedUse use = new WantedUse();

        @Option(
                names = "--days",
                paramLabel = "NUMBER",
                defaultValue = "90",
                description = "The validity of the certificate, in days. Default: ${DEFAULT-VALUE}.")
        private int days = 90;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec command;

        @Override
        public Integer call() throws IOException {
            var request = names.on(use.request(name)).withValidity(validity());
            if (authority == null) {
                TlsDirectory.open(directory, request, Clock.systemUTC());
            } else {
                TlsDirectory.issue(authority, directory, request, Clock.systemUTC());
            }
            show(command, directory, Instant.now());
            return 0;
        }

        private Duration validity() {
            if (days < 1) {
                throw new ParameterException(
                        command.commandLine(),
                        "Invalid value for option '--days': expected at least 1, but is %d".formatted(days));
            }
            return Duration.ofDays(days);
        }
    }

    /** {@code trainyard certs show}. */
    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Prints subject, issuer, names and dates of certificates. Never prints a key.")
    static final class Show implements Callable<Integer> {

        @Parameters(
                paramLabel = "DIR|FILE",
                arity = "0..*",
                description = "Directories with ca.crt and tls.crt, or files with certificates.")
        private List<Path> places = List.of();

        @Option(names = "--secret", paramLabel = "NAME", description = "Show the certificates in this Secret.")
        private @Nullable String secret;

        @Option(
                names = "--namespace",
                paramLabel = "NAME",
                defaultValue = Names.NAMESPACE,
                description = "The namespace of the Secret. Default: ${DEFAULT-VALUE}.")
        private String namespace = Names.NAMESPACE;

        @Option(
                names = "--kubeconfig",
                paramLabel = "FILE",
                description = "The kubeconfig file of the cluster. Default: the cluster that kubectl would use.")
        private @Nullable Path kubeconfig;

        @Option(
                names = "--at",
                paramLabel = "TIME",
                description = "The time from which the remaining days of a certificate are counted. Default: now.")
        private @Nullable Instant at;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec command;

        @Override
        public Integer call() throws IOException {
            var now = at == null ? Instant.now() : at;
            if (places.isEmpty() && secret == null) {
                throw new ParameterException(
                        command.commandLine(), "nothing to show: expected DIR, FILE or --secret NAME");
            }
            for (var place : places) {
                show(command, place, now);
            }
            if (secret != null) {
                showSecret(secret, now);
            }
            return 0;
        }

        private void showSecret(String name, Instant now) {
            try (var client = KubernetesClients.open(kubeconfig)) {
                var found =
                        client.secrets().inNamespace(namespace).withName(name).get();
                if (found == null || found.getData() == null) {
                    throw new TlsException("Secret " + namespace + "/" + name
                            + " is missing or has no data; correct --secret or --namespace");
                }
                new TreeMap<>(found.getData()).forEach((key, value) -> {
                    var text = new String(Base64.getDecoder().decode(value), StandardCharsets.ISO_8859_1);
                    if (text.contains("BEGIN CERTIFICATE")) {
                        print(command, "Secret %s/%s %s".formatted(namespace, name, key), text, now);
                    }
                });
            }
        }
    }

    /** {@code trainyard certs verify}. */
    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Verifies the certificate of a directory: dates, chain, key and names. Prints each problem. "
                    + "Exit code 1: there are problems.")
    static final class Verify implements Callable<Integer> {

        @Parameters(paramLabel = "DIR", description = "A directory with ca.crt, tls.crt and tls.key.")
        private Path directory = Path.of("");

        @ArgGroup(exclusive = false)
        private WantedNames names = new WantedNames();

        @Option(
                names = "--at",
                paramLabel = "TIME",
                description = "The time for which the certificate is verified, such as a month from now. Default: now.")
        private @Nullable Instant at;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec command;

        @Override
        public Integer call() {
            if (!Files.isDirectory(directory)) {
                throw new TlsException(
                        Files.exists(directory)
                                ? "DIR: %s is a file; name the directory that holds it".formatted(directory)
                                : "DIR: expected an existing directory, but there is no directory " + directory);
            }
            var wanted = names.on(LeafRequest.forServer("any"));
            var problems = TlsDirectory.problems(directory, wanted, at == null ? Instant.now() : at);
            var out = command.commandLine().getOut();
            problems.forEach(out::println);
            if (problems.isEmpty()) {
                out.println(directory + ": the certificate is valid");
            }
            out.flush();
            return problems.isEmpty() ? 0 : 1;
        }
    }

    private static void show(CommandSpec command, Path place, Instant now) throws IOException {
        var files = Files.isDirectory(place)
                ? FILES.stream().map(place::resolve).filter(Files::exists).toList()
                : List.of(place);
        if (files.isEmpty()) {
            throw new TlsException(place + " contains neither ca.crt nor tls.crt; name another directory or file");
        }
        for (var file : files) {
            if (!Files.isReadable(file)) {
                throw new TlsException(file + " cannot be read; name a file with certificates, or a directory");
            }
            print(command, file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1), now);
        }
    }

    private static void print(CommandSpec command, String what, String pem, Instant now) {
        var lines = new ArrayList<String>();
        for (var facts : CertificateFacts.of(pem, what)) {
            lines.add(what);
            lines.add("  subject  " + facts.subject());
            lines.add("  issuer   " + (facts.issuer().equals(facts.subject()) ? "itself" : facts.issuer()));
            lines.add("  is for   "
                    + (facts.authority() ? "signing other certificates" : String.join(", ", facts.uses())));
            if (!facts.names().isEmpty()) {
                lines.add("  names    " + String.join(", ", facts.names()));
            }
            lines.add(
                    "  valid    " + facts.notBefore() + " to " + facts.notAfter() + ", " + left(facts.notAfter(), now));
            lines.add("  SHA-256  " + facts.fingerprint());
        }
        var out = command.commandLine().getOut();
        lines.forEach(out::println);
        out.flush();
    }

    private static String left(Instant end, Instant now) {
        var left = Duration.between(now, end);
        return left.isNegative() ? "expired" : left.toDays() + " days left";
    }
}
