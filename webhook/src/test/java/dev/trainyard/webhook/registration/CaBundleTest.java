package dev.trainyard.webhook.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.CertificateAuthority;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaBundleTest {

    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    private final String own = ca("own", NOW, Duration.ofDays(30));

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "Cg==", "not base64!", "LS0tLS1CRUdJTg=="})
    void replacesWhatIsNotUseful(String present) {
        assertThat(decoded(CaBundle.with(present, own, NOW))).isEqualTo(own);
    }

    @Test
    void isContentWithABundleThatHasItsCa() {
        var other = ca("other", NOW, Duration.ofDays(30));
        var present = Base64.getEncoder().encodeToString((other + "\n" + own).getBytes(StandardCharsets.US_ASCII));

        assertThat(CaBundle.with(present, own, NOW)).isSameAs(present);
    }

    @Test
    void keepsOthersThatAreValidAndDropsThoseThatAreOver() {
        var replica = ca("replica", NOW, Duration.ofDays(30));
        var over = ca("over", NOW.minus(Duration.ofDays(60)), Duration.ofDays(30));
        var present = Base64.getEncoder().encodeToString((over + replica).getBytes(StandardCharsets.US_ASCII));

        assertThat(decoded(CaBundle.with(present, own, NOW))).isEqualTo(own + replica);
    }

    @Test
    void doesNotGrowWithoutBound() {
        var bundle = CaBundle.with(null, own, NOW);
        for (int restart = 1; restart <= 15; restart++) {
            bundle = CaBundle.with(
                    bundle, ca("ca-" + restart, NOW.plusSeconds(restart * 60L), Duration.ofDays(30)), NOW);
        }

        assertThat(decoded(bundle).split("BEGIN CERTIFICATE")).hasSize(1 + 10);
    }

    private static String ca(String name, Instant from, Duration validity) {
        return CertificateAuthority.create(name, validity, Clock.fixed(from, ZoneOffset.UTC))
                .pem()
                .certificatePem();
    }

    private static String decoded(String bundle) {
        return new String(Base64.getDecoder().decode(bundle), StandardCharsets.US_ASCII);
    }
}
