package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.cli.check.Finding.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the checks of certificates that callers reject now or soon. */
class CertificateChecksTest {

    private static final Instant NOW = CheckFixture.NOW;

    private final CheckFixture world = new CheckFixture();

    @Test
    void findsCertificatesThatAreWipedExpiredDamagedOrLate() {
        world.trust("");
        assertThat(world.errors())
                .hasSize(4)
                .allMatch(error -> error.startsWith("error    certificates: the API server cannot verify the webhook"))
                .anyMatch(
                        error -> error.contains(
                                "MutatingWebhookConfiguration trainyard webhooks[pods.trainyard.dev].clientConfig.caBundle = (nothing), expected the webhook's CA"));
        world.trust("no PEM");
        assertThat(world.errors()).hasSize(4).allMatch(error -> error.contains("no certificate can be read"));
        world.trust(pem(NOW.minusSeconds(400 * 86_400L)));
        assertThat(world.errors()).hasSize(4).allMatch(error -> error.contains("the CA has expired"));
        world.trust(pem(NOW.plusSeconds(86_400)));
        assertThat(world.errors()).hasSize(4).allMatch(error -> error.contains("not valid yet"));
        world.trust(pem(NOW.minusSeconds(340 * 86_400L)));
        assertThat(world.findings())
                .filteredOn(finding -> finding.startsWith("warning"))
                .hasSize(4)
                .allMatch(finding -> finding.contains("expires soon and was not renewed"));
        world.trust(pem(NOW.minusSeconds(400 * 86_400L)) + CheckFixture.pem(world.authorities.get(0)));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    @Test
    void findsASecretThatIsNotThereWhereSomebodyNeedsIt() {
        world.authorities = List.of(
                new SharedCa("trainyard-webhook-ca", "trainyard-webhook", true, ReadResult.of(Optional.empty())));
        assertThat(world.trouble().toString())
                .startsWith("error    certificates: Secret trainyard-system/trainyard-webhook-ca is missing");
        world.authorities = List.of(
                new SharedCa("trainyard-webhook-ca", "trainyard-webhook", false, ReadResult.of(Optional.empty())));
        assertThat(world.trouble().level()).isEqualTo(Level.NOTE);
        world.authorities = List.of(
                new SharedCa("ca", "trainyard-webhook", true, ReadResult.unread("needs the right to get secrets")));
        assertThat(world.trouble().seen()).isEqualTo("not checked: needs the right to get secrets");
    }

    @Test
    void findsThatTheApiServerTrustsAnotherCaThanSigns() {
        world.trust(pem(NOW));
        assertThat(world.errors())
                .hasSize(4)
                .allMatch(error -> error.startsWith(
                                "error    certificates: the API server does not trust the CA in Secret trainyard-system/trainyard-webhook-ca, which signs the webhook's certificates (MutatingWebhookConfiguration trainyard webhooks[")
                        && error.contains("clientConfig.caBundle = CN=test (SHA-256 ")
                        && error.contains(", expected CN=test (SHA-256 ")
                        && error.endsWith("#webhook-not-trusted"));

        world.trust(pem(NOW) + CheckFixture.pem(world.authorities.get(0)));
        assertThat(world.errors()).isEmpty();
    }

    @Test
    void looksAtTheCaOfACertManagerToo() {
        var other = authority(NOW, Duration.ofDays(365));
        world.authorities = List.of();
        mount("--tls-dir", Map.of("ca.crt", other.certificatePem(), "tls.crt", leaf(other, NOW, Duration.ofDays(90))));
        assertThat(world.errors())
                .hasSize(4)
                .allMatch(error -> error.contains("does not trust the CA in Secret trainyard-system/own-tls"));
    }

    @Test
    void callsACertificateLateByItsOwnLife() {
        world.trust(CheckFixture.pem(world.authorities.get(0)));
        for (var life : List.of(Duration.ofDays(6), Duration.ofDays(600))) {
            long day = life.toDays() / 6;
            world.authorities = List.of(new SharedCa(
                    "trainyard-internal-ca",
                    "trainyard-scaler",
                    true,
                    ReadResult.of(Optional.of(authority(NOW.minus(Duration.ofDays(5 * day - 1)), life)
                            .certificatePem()))));
            assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
            world.authorities = List.of(new SharedCa(
                    "trainyard-internal-ca",
                    "trainyard-scaler",
                    true,
                    ReadResult.of(Optional.of(
                            authority(NOW.minus(Duration.ofDays(5 * day)).minusSeconds(3_600), life)
                                    .certificatePem()))));
            assertThat(world.trouble().seen()).endsWith("the CA expires soon and was not renewed");
        }
    }

    @Test
    void findsMountedCertificatesThatEndSoonOrHaveEnded() {
        var own = authority(NOW.minus(Duration.ofDays(100)), Duration.ofDays(3_650));
        world.trust(own.certificatePem());
        world.authorities = List.of();
        mount(own, Duration.ofDays(90));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
        mount(own, Duration.ofDays(14));
        assertThat(world.trouble().toString())
                .startsWith("warning  certificates: Secret trainyard-system/own-tls: the certificate expires soon")
                .contains("(Secret trainyard-system/own-tls data[tls.crt] = ")
                .contains("; renew the files at their source");
        mount(own, Duration.ofDays(-1));
        assertThat(world.trouble().toString())
                .startsWith("error    certificates: Secret trainyard-system/own-tls: the certificate has expired");
    }

    @Test
    void findsMountedCertificatesForOtherNamesAndOfOtherCas() {
        var own = authority(NOW, Duration.ofDays(365));
        world.trust(own.certificatePem());
        world.authorities = List.of();
        var elsewhere = CertificateAuthority.create("elsewhere", Duration.ofDays(365), clock(NOW));
        mount(
                "--tls-dir",
                Map.of("ca.crt", own.certificatePem(), "tls.crt", leaf(elsewhere, NOW, Duration.ofDays(90))));
        assertThat(world.trouble().toString())
                .contains("no CA in ca.crt issued the certificate, so no client trusts the certificate")
                .contains("data[tls.crt] = issued by CN=elsewhere, expected issued by CN=own)");

        var request =
                LeafRequest.forServer("x").withDnsNames("trainyard-webhook").withValidity(Duration.ofDays(90));
        mount(
                "--tls-dir",
                Map.of(
                        "ca.crt",
                        own.certificatePem(),
                        "tls.crt",
                        own.issue(request, NOW).certificatePem()));
        assertThat(world.trouble().toString())
                .contains("does not cover the name that clients call")
                .contains(
                        "data[tls.crt] = for trainyard-webhook, expected for trainyard-webhook.trainyard-system.svc)");
    }

    @Test
    void needsNoCertificateWhereReplicasSignTheirOwnNorNamesWhereNobodyIsCalled() {
        var own = authority(NOW, Duration.ofDays(365));
        world.trust(own.certificatePem());
        world.authorities = List.of();
        mount("--tls-dir", Map.of("ca.crt", own.certificatePem(), "ca.key", ""));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
        mount("--tls-dir", Map.of("ca.crt", own.certificatePem()));
        assertThat(world.trouble().toString())
                .contains("no certificate can be read")
                .contains("data[tls.crt] = (nothing)");
        var client = own.issue(LeafRequest.forClient("scheduler").withValidity(Duration.ofDays(90)), NOW);
        mount("--scheduler-tls-dir", Map.of("ca.crt", own.certificatePem(), "tls.crt", client.certificatePem()));
        assertThat(world.findings()).allMatch(finding -> finding.startsWith("ok"));
    }

    /** Mounts a certificate that expires after {@code left}. */
    private void mount(CertificateAuthority authority, Duration left) {
        var life = Duration.ofDays(91);
        mount(
                "--tls-dir",
                Map.of(
                        "ca.crt",
                        authority.certificatePem(),
                        "tls.crt",
                        leaf(authority, NOW.plus(left).minus(life), life)));
    }

    private void mount(String flag, Map<String, String> files) {
        world.mounted = List.of(new MountedTls("own-tls", "webhook", flag, ReadResult.of(Optional.of(files))));
    }

    private static CertificateAuthority authority(Instant made, Duration life) {
        return CertificateAuthority.create("own", life, clock(made));
    }

    private static String leaf(CertificateAuthority authority, Instant made, Duration life) {
        var request = LeafRequest.forServer("webhook")
                .withDnsNames("trainyard-webhook.trainyard-system.svc")
                .withValidity(life);
        return authority.issue(request, made).certificatePem();
    }

    private static Clock clock(Instant at) {
        return Clock.fixed(at, ZoneOffset.UTC);
    }

    private static String pem(Instant made) {
        return CheckFixture.pem(CheckFixture.authority("x", made));
    }
}
