package dev.trainyard.certs;

import java.time.Duration;

/**
 * The validity periods of a CA that replicas share, and of its certificates. Renewal is due after two thirds of a period.
 *
 * @param authority validity of a CA
 * @param leaf validity of the certificate that each replica signs for itself
 * @param overlap time for which replicas trust a new CA before it signs, and still trust a CA that has disappeared. A replica that learns of a
 *     CA later than that rejects certificates of that CA until then
 * @param settling time for which a replica waits before it presents a certificate of an unannounced CA. The others must read the CA first. It
 *     must exceed the interval at which they read it
 */
public record Lifetimes(Duration authority, Duration leaf, Duration overlap, Duration settling) {

    /** The defaults: a year, a week, an hour, and half a minute. */
    public static final Lifetimes USUAL =
            new Lifetimes(Duration.ofDays(365), Duration.ofDays(7), Duration.ofHours(1), Duration.ofSeconds(30));

    public Lifetimes {
        if (leaf.isNegative() || leaf.isZero()) {
            throw new IllegalArgumentException("life %s of a certificate must be positive".formatted(leaf));
        }
        if (overlap.multipliedBy(3).compareTo(authority) >= 0) {
            throw new IllegalArgumentException(
                    "overlap %s must be shorter than a third of a CA's life, which is %s: the old CA would expire before the new CA signs"
                            .formatted(overlap, authority));
        }
    }
}
