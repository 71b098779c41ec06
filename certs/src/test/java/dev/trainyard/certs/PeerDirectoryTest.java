package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerDirectoryTest {
    private static final Instant NOW = Instant.parse("2026-11-20T09:42:01Z");
    private static final LeafRequest PEER = LeafRequest.forClient("trainyard-scheduler");
    private static final LeafRequest OWN =
            LeafRequest.forServerAndClient("trainyard-extender").withIpAddresses("127.0.0.1");

    @TempDir
    Path directory;

    @Test
    void thePeerFindsWhatItNeedsForTenYearsAndEachTrustsTheOther() throws Exception {
        var own = open(NOW).current();
        var peer = Pem.certificates(Files.readString(directory.resolve("tls.crt")), "peer");
        var later = NOW.plus(Duration.ofDays(3600));

        assertThat(directory.resolve("tls.key")).exists();
        assertThat(Chains.whyUntrusted(peer, Pem.certificates(own.caPem(), "ca"), later))
                .isNull();
        assertThat(Chains.whyUntrusted(
                        Pem.certificates(own.certificatePem(), "own"),
                        Pem.certificates(Files.readString(directory.resolve("ca.crt")), "ca"),
                        NOW))
                .isNull();
        assertThat(peer.get(0).getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
    }

    @Test
    void afterARestartThePeerNeedNotReadAnything() throws Exception {
        open(NOW);
        var read =
                List.of("ca.crt", "tls.crt", "tls.key").stream().map(this::text).toList();

        var again = open(NOW.plus(Duration.ofDays(200))).current();

        assertThat(List.of("ca.crt", "tls.crt", "tls.key").stream()
                        .map(this::text)
                        .toList())
                .isEqualTo(read);
        assertThat(again.caPem()).isEqualTo(read.get(0));
    }

    @Test
    void ourOwnCertificateIsRenewedByTheSameCaAndThePeersIsNot() {
        var credentials = open(NOW);
        var before = credentials.current();
        var peer = text("tls.crt");

        assertThat(credentials.refresh(NOW.plus(Duration.ofDays(59)))).isFalse();
        assertThat(credentials.refresh(NOW.plus(Duration.ofDays(61)))).isTrue();

        assertThat(credentials.current().caPem()).isEqualTo(before.caPem());
        assertThat(credentials.current().certificatePem()).isNotEqualTo(before.certificatePem());
        assertThat(text("tls.crt")).isEqualTo(peer);
    }

    private PeerDirectory open(Instant now) {
        return PeerDirectory.open(directory, PEER, OWN, Clock.fixed(now, ZoneOffset.UTC));
    }

    private String text(String name) {
        try {
            return Files.readString(directory.resolve(name));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
