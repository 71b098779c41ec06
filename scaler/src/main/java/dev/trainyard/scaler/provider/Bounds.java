package dev.trainyard.scaler.provider;

/**
 * Sizes that a cloud resource accepts, whatever its pool says.
 *
 * @param least machines it cannot be shrunk below
 * @param most machines it cannot be grown above
 */
public record Bounds(int least, int most) {

    /** It accepts any size, or does not say. */
    public static final Bounds NONE = new Bounds(0, Integer.MAX_VALUE);
}
