package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.certs.TlsException;
import dev.trainyard.core.TroubleshootingTopic;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A check of the dates of certificates in one field of an object.
 *
 * @param what the certificate in words, such as {@code the CA}
 * @param byHand whether people renew the certificate by hand; they are then warned at most 30 days before the certificate expires
 * @param todo the remedy if a date is wrong
 */
record Validity(
        String about,
        String object,
        String field,
        String what,
        boolean byHand,
        TroubleshootingTopic trap,
        String todo) {

    /**
     * A certificate is late if it was not renewed before the last sixth of its life. Renewal is due when a third of the life remains. The
     * last sixth begins when half of this third has passed.
     */
    private static final int LATE = 6;

    /** The time that people need to act. */
    private static final Duration SOON = Duration.ofDays(30);

    /** Returns the certificates; empty if none can be read; {@link #unreadable} reports this problem. */
    Optional<List<CertificateFacts>> read(String pem) {
        try {
            return Optional.of(CertificateFacts.of(pem, object));
        } catch (TlsException e) {
            return Optional.empty();
        }
    }

    Finding unreadable(String pem) {
        return Finding.error(about, "no certificate can be read")
                .on(object)
                .field(field, pem.isBlank() ? "" : "text without a certificate", "certificates in PEM")
                .todo(todo)
                .see(trap);
    }

    /**
     * Checks the certificate that expires last. During a renewal, there are several certificates. A certificate whose validity has begun is
     * preferred to one whose validity has not.
     */
    Finding ofAny(List<CertificateFacts> all, Instant now) {
        var valid = all.stream()
                .filter(one -> !now.isBefore(one.notBefore()))
                .max(Comparator.comparing(CertificateFacts::notAfter));
        return of(
                valid.orElseGet(() -> all.stream()
                        .max(Comparator.comparing(CertificateFacts::notAfter))
                        .orElseThrow()),
                now);
    }

    Finding of(CertificateFacts one, Instant now) {
        if (!now.isBefore(one.notAfter())) {
            return Finding.error(about, "%s: %s has expired".formatted(object, what))
                    .on(object)
                    .field(field, until(one), "valid at " + now)
                    .todo(todo)
                    .see(trap);
        }
        if (now.isBefore(one.notBefore())) {
            return Finding.error(about, "%s: %s is not valid yet; probably clocks differ".formatted(object, what))
                    .on(object)
                    .field(field, "from " + one.notBefore(), "valid at " + now)
                    .todo("correct the clocks; then " + todo)
                    .see(trap);
        }
        return isLate(one, now)
                ? Finding.warning(about, "%s: %s expires soon and was not renewed".formatted(object, what))
                        .on(object)
                        .field(field, until(one), "renewed after two thirds of its life, at " + renewal(one))
                        .todo(todo)
                        .see(trap)
                : Finding.ok(about, "%s %s: valid until %s".formatted(object, field, one.notAfter()));
    }

    private boolean isLate(CertificateFacts one, Instant now) {
        var late = life(one).dividedBy(LATE);
        var span = byHand && late.compareTo(SOON) > 0 ? SOON : late;
        return one.notAfter().minus(span).isBefore(now);
    }

    private static Instant renewal(CertificateFacts one) {
        return one.notBefore().plus(life(one).multipliedBy(2).dividedBy(3));
    }

    private static Duration life(CertificateFacts one) {
        return Duration.between(one.notBefore(), one.notAfter());
    }

    private static String until(CertificateFacts one) {
        return "%s until %s".formatted(one.subject(), one.notAfter());
    }
}
