package dev.trainyard.certs;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules that decide when the shared CA is created, is replaced, or gets a successor. A succession has two steps. First, the next CA is
 * announced, so that all replicas trust the old and the next CA. Second, the next CA starts to sign. The second step happens no earlier
 * than {@link Lifetimes#overlap} after the announcement, and only if all verifiers trust the next CA. If the old CA has expired, the next
 * CA signs at once.
 */
public final class Succession {
    private Succession() {}

    /** A change of the stored CA. */
    public enum Change {
        /** A CA was created, because none was stored. */
        CREATED,
        /** A new CA replaced a stored CA that could not be used. */
        REPLACED,
        /** The next CA was stored, so that all replicas trust it. */
        ANNOUNCED,
        /** The next CA became the CA that signs. */
        PROMOTED,
        /** Expired certificates were removed. */
        TIDIED;

        /** Returns the name in logs and metrics. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param reason reason for the log */
    record Write(SharedAuthority content, Change change, String reason) {}

    /**
     * @param usable the stored CA; null if {@code write} must be stored before anything can be signed
     * @param write the change to write; empty if there is none
     */
    record Decision(@Nullable SharedAuthority usable, Optional<Write> write) {}

    /**
     * Decides whether the stored CA is usable, and which change is due.
     *
     * @param stored the stored texts; null if there are none
     * @throws TlsException if the stored CA is not valid yet, so the only choice is to wait
     */
    static Decision decide(
            @Nullable Map<String, String> stored, Instant now, Verifiers verifiers, Lifetimes lifetimes) {
        if (stored == null) {
            return replaced(Change.CREATED, "there is none", now, lifetimes);
        }
        SharedAuthority found;
        try {
            found = SharedAuthority.read(stored);
        } catch (TlsException e) {
            return replaced(Change.REPLACED, String.valueOf(e.getMessage()), now, lifetimes);
        }
        var signer = found.signer();
        if (now.isBefore(signer.notBefore())) {
            // If this replica replaced the CA, a replica whose clock is far ahead would find the new CA expired and
            // replace it. The two replicas would replace each other's CA again and again.
            throw new TlsException("the stored CA is not valid before " + signer.notBefore()
                    + "; correct the clocks of the machines, then delete the stored CA; Trainyard creates a new CA");
        }
        if (signer.isOver(now)) {
            var reason = "the stored CA expired at " + signer.notAfter();
            var next = found.next();
            return next != null && next.isValid(now)
                    ? new Decision(null, Optional.of(promoted(found, next, reason, now)))
                    : replaced(Change.REPLACED, reason, now, lifetimes);
        }
        return new Decision(found, maintenance(found, now, verifiers, lifetimes));
    }

    private static Optional<Write> maintenance(
            SharedAuthority found, Instant now, Verifiers verifiers, Lifetimes lifetimes) {
        var next = found.next();
        if (next != null && !next.isOver(now)) {
            var due = next.issuedAt().plus(lifetimes.overlap());
            if (!now.isBefore(due) && verifiers.trust(next.ownCertificatePem())) {
                return Optional.of(promoted(found, next, "peers trust the CA announced at " + next.issuedAt(), now));
            }
        } else if (!now.isBefore(found.signer().renewAt())) {
            var content = found.tidied(now).announcing(now, lifetimes.authority());
            return Optional.of(new Write(
                    content,
                    Change.ANNOUNCED,
                    "the current CA expires at " + found.signer().notAfter()));
        }
        boolean stale = found.trusted().stream().anyMatch(certificate -> SharedAuthority.isOver(certificate, now));
        return stale
                ? Optional.of(new Write(found.tidied(now), Change.TIDIED, "an earlier CA has expired"))
                : Optional.empty();
    }

    private static Write promoted(SharedAuthority found, CertificateAuthority next, String reason, Instant now) {
        return new Write(found.promoted(next).tidied(now), Change.PROMOTED, reason);
    }

    private static Decision replaced(Change change, String reason, Instant now, Lifetimes lifetimes) {
        return new Decision(
                null, Optional.of(new Write(SharedAuthority.create(now, lifetimes.authority()), change, reason)));
    }
}
