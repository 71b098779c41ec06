package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {
    private static final Instant NOW = Instant.parse("2026-11-20T09:42:01Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final LeafRequest WEBHOOK = LeafRequest.forServer("trainyard-webhook")
            .withDnsNames("trainyard-webhook.trainyard.svc", "localhost")
            .withIpAddresses("127.0.0.1", "::1");

    private final CertificateAuthority ca = CertificateAuthority.create("test-ca", Duration.ofDays(365), CLOCK);

    @Test
    void leavesVerifyAgainstTheirCaAndNoOther() {
        List<X509Certificate> chain = certificates(ca.issue(WEBHOOK, NOW).certificatePem());
        CertificateAuthority other = CertificateAuthority.create("test-ca", Duration.ofDays(365), CLOCK);

        assertThat(Chains.whyUntrusted(chain, certificates(ca.certificatePem()), NOW))
                .isNull();
        assertThat(Chains.whyUntrusted(chain, certificates(other.certificatePem()), NOW))
                .isNotNull();
    }

    @Test
    void aLeafSaysWhatWasAskedFor() throws Exception {
        X509Certificate leaf = leaf(ca.issue(WEBHOOK.withOrganizations("trainyard"), NOW));

        assertThat(leaf.getSubjectAlternativeNames())
                .extracting(name -> (Object) name.get(1))
                .containsExactly("trainyard-webhook.trainyard.svc", "localhost", "127.0.0.1", "0:0:0:0:0:0:0:1");
        assertThat(leaf.getSubjectX500Principal().getName()).isEqualTo("CN=trainyard-webhook,O=trainyard");
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf.getKeyUsage()[0]).as("digital signature").isTrue();
        assertThat(leaf.getKeyUsage()[5]).as("certificate signing").isFalse();
        assertThat(leaf.getPublicKey())
                .isInstanceOfSatisfying(
                        ECPublicKey.class,
                        key -> assertThat(key.getParams().getOrder().bitLength())
                                .isEqualTo(256));
    }

    @Test
    void clientAndServerUsagesAreKeptApart() throws Exception {
        assertThat(leaf(ca.issue(LeafRequest.forClient("extender"), NOW)).getExtendedKeyUsage())
                .containsExactly("1.3.6.1.5.5.7.3.2");
        assertThat(leaf(ca.issue(LeafRequest.forServerAndClient("extender"), NOW))
                        .getExtendedKeyUsage())
                .containsExactly("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    }

    @Test
    void aCaMaySignLeavesOnly() {
        X509Certificate certificate = certificates(ca.certificatePem()).get(0);

        assertThat(certificate.getBasicConstraints()).isZero();
        assertThat(certificate.getKeyUsage()[5]).as("certificate signing").isTrue();
        assertThat(certificate.getKeyUsage()[0]).as("digital signature").isFalse();
    }

    @Test
    void certificatesAreValidForAClockThatIsSlow() {
        X509Certificate leaf = leaf(ca.issue(WEBHOOK, NOW));

        assertThat(leaf.getNotBefore().toInstant()).isEqualTo(NOW.minus(Duration.ofMinutes(5)));
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(NOW.plus(WEBHOOK.validity()));
    }

    @Test
    void noLeafOutlivesItsCa() {
        X509Certificate leaf = leaf(ca.issue(WEBHOOK, NOW.plus(Duration.ofDays(364))));

        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(ca.notAfter());
    }

    @Test
    void anExpiredCaSignsNothing() {
        assertThatThrownBy(() -> ca.issue(WEBHOOK, NOW.plus(Duration.ofDays(365))))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("test-ca")
                .hasMessageContaining("expired at 2027-11-20T09:42:01Z")
                .hasMessageContaining("replace the CA");
    }

    @Test
    void serialsDiffer() {
        BigInteger one = leaf(ca.issue(WEBHOOK, NOW)).getSerialNumber();
        BigInteger two = leaf(ca.issue(WEBHOOK, NOW)).getSerialNumber();

        assertThat(one).isPositive().isNotEqualTo(two);
        assertThat(one.bitLength()).isEqualTo(127);
    }

    @Test
    void aStoredCaSignsOn() {
        CertificateAuthority loaded = CertificateAuthority.load(ca.pem());

        List<X509Certificate> chain = certificates(loaded.issue(WEBHOOK, NOW).certificatePem());

        assertThat(Chains.whyUntrusted(chain, certificates(ca.certificatePem()), NOW))
                .isNull();
    }

    @Test
    void whileOneCaReplacesAnotherBothAreTrustedAndTheOneWithTheKeySigns() {
        CertificateAuthority old = CertificateAuthority.create("old-ca", Duration.ofDays(1), CLOCK);
        String both = old.certificatePem() + ca.certificatePem();

        CertificateAuthority loaded =
                CertificateAuthority.load(new PemKeyPair(both, ca.pem().keyPem()));

        assertThat(loaded.certificatePem()).isEqualTo(both);
        assertThat(leaf(loaded.issue(WEBHOOK, NOW)).getIssuerX500Principal().getName())
                .isEqualTo("CN=test-ca");
    }

    @Test
    void aKeyOfAnotherCaIsRefused() {
        PemKeyPair other =
                CertificateAuthority.create("other", Duration.ofDays(1), CLOCK).pem();

        assertThatThrownBy(() -> CertificateAuthority.load(new PemKeyPair(ca.certificatePem(), other.keyPem())))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("the CA key does not belong to the CA certificate");
    }

    @Test
    void aLeafIsNoCa() {
        assertThatThrownBy(() -> CertificateAuthority.load(ca.issue(WEBHOOK, NOW)))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("is not a CA certificate");
    }

    @Test
    void namesAreCheckedWhenTheyAreAskedFor() {
        LeafRequest request = LeafRequest.forServer("x");

        assertThatThrownBy(() -> request.withDnsNames("not a name"))
                .hasMessageContaining("\"not a name\" is not a DNS");
        assertThatThrownBy(() -> request.withDnsNames("10.0.0.1"))
                .hasMessageContaining("add an IP address to the IP addresses instead");
        assertThatThrownBy(() -> request.withIpAddresses("localhost"))
                .hasMessageContaining("\"localhost\" is not an IP address");
        assertThatThrownBy(() -> LeafRequest.forServer("x".repeat(65))).hasMessageContaining("1 to 64 characters");
        assertThatThrownBy(() -> request.withValidity(Duration.ZERO)).hasMessageContaining("must be positive");
        assertThat(request.withIpAddresses("::1", "0:0:0:0:0:0:0:1").ipAddresses())
                .containsExactly("0:0:0:0:0:0:0:1");
    }

    @Test
    void keysNeverShowInText() {
        assertThat(ca.pem().toString()).doesNotContain("PRIVATE KEY");
    }

    private static List<X509Certificate> certificates(String pem) {
        return Pem.certificates(pem, "test");
    }

    private static X509Certificate leaf(PemKeyPair pair) {
        return certificates(pair.certificatePem()).get(0);
    }
}
