package dev.trainyard.certs;

import java.time.Duration;

/**
 * How long what replicas share is good for. Renewal is due after two thirds of a life.
 *
 * @param authority of a CA
 * @param leaf of the certificate that each replica signs for itself
 * @param overlap how long a new CA is trusted by all before it signs, and one that vanished is trusted yet by those who knew it. Who
 *     hears of a CA later than that turns others away until then
 * @param settling how long a replica waits before it shows a certificate of a CA that nobody announced: others must hear of it first.
 *     Longer than they take to look
 */
public record Lifetimes(Duration authority, Duration leaf, Duration overlap, Duration settling) {

    /** A year, a week, an hour, half a minute. */
    public static final Lifetimes USUAL =
            new Lifetimes(Duration.ofDays(365), Duration.ofDays(7), Duration.ofHours(1), Duration.ofSeconds(30));

    public Lifetimes {
        if (leaf.isNegative() || leaf.isZero()) {
            throw new IllegalArgumentException("life %s of a certificate must be positive".formatted(leaf));
        }
        if (overlap.multipliedBy(3).compareTo(authority) >= 0) {
            throw new IllegalArgumentException(
                    "overlap %s must be shorter than a third of a CA's life, which is %s: the old CA would end before the new one signs"
                            .formatted(overlap, authority));
        }
    }
}
