package dev.trainyard.scaler.provider;

/**
 * The sizes that a cloud resource accepts, independent of its pool's spec.
 *
 * @param least the smallest number of machines
 * @param most the largest number of machines
 */
public record Bounds(int least, int most) {

    /** The bounds of a cloud resource that accepts any size, or whose bounds are unknown. */
    public static final Bounds NONE = new Bounds(0, Integer.MAX_VALUE);
}
