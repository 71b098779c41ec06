package dev.trainyard.workshop.cluster;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/**
 * The certificates of a {@link TestCluster}: one CA, and a certificate for each component and for the scheduler. Each certificate has its
 * own directory.
 */
final class Certificates {

    private static final Duration VALIDITY = Duration.ofDays(30);

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    static Certificates issue(Path directory, Clock clock) {
        var authority = CertificateAuthority.create("trainyard local", VALIDITY, clock);
        for (var part : InstalledComponent.values()) {
            write(directory.resolve(part.command()), authority, server("trainyard-" + part.command()), clock);
        }
        write(directory.resolve("scheduler"), authority, LeafRequest.forClient("trainyard-scheduler"), clock);
        return new Certificates(directory);
    }

    Path directory(InstalledComponent part) {
        return directory.resolve(part.command());
    }

    private static LeafRequest server(String name) {
        return LeafRequest.forServerAndClient(name)
                .withDnsNames("localhost", name, name + ".trainyard-system.svc")
                .withIpAddresses("127.0.0.1");
    }

    private static void write(Path directory, CertificateAuthority authority, LeafRequest request, Clock clock) {
        var leaf = authority.issue(request, clock.instant());
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("ca.crt"), authority.certificatePem());
            Files.writeString(directory.resolve("tls.crt"), leaf.certificatePem());
            Files.writeString(directory.resolve("tls.key"), leaf.keyPem());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
