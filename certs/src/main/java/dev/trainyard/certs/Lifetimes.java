package dev.trainyard.certs;

import java.time.Duration;

/**
 * The validity periods of a CA that replicas share, and of its certificates. Renewal is due after two thirds of a period.
 *
 * @param authority validity of a CA
 * @param leaf validity of the certificate that each replica signs for itself
 * @param overlap time for which replicas trust an announced CA before the CA signs. If a replica first reads the CA after this time, the
 *     replica rejects the certificates of the CA until that first read. Replicas also trust a CA for this time after the CA has disappeared
 * @param settling time from a replica's first read of a CA until the replica presents a certificate of the CA. The time matters for a CA
 *     that was not announced. The time must exceed the interval between reads of the CA, so that the other replicas have also read the CA.
 *     A replica without another valid certificate does not wait
 */
public record Lifetimes(Duration authority, Duration leaf, Duration overlap, Duration settling) {

    /** The defaults: {@code authority} one year, {@code leaf} one week, {@code overlap} one hour, {@code settling} half a minute. */
    public static final Lifetimes USUAL =
            new Lifetimes(Duration.ofDays(365), Duration.ofDays(7), Duration.ofHours(1), Duration.ofSeconds(30));

    public Lifetimes {
        if (leaf.isNegative() || leaf.isZero()) {
            throw new IllegalArgumentException("a certificate's lifetime must be positive, but is %s".formatted(leaf));
        }
        if (overlap.multipliedBy(3).compareTo(authority) >= 0) {
            throw new IllegalArgumentException(
                    "overlap %s must be shorter than a third of the CA's lifetime %s; otherwise the old CA would expire before the new CA signs"
                            .formatted(overlap, authority));
        }
    }
}
