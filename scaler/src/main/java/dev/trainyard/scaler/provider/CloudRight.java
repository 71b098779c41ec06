package dev.trainyard.scaler.provider;

/**
 * One right in a cloud.
 *
 * @param action as the cloud calls it, such as {@code autoscaling:SetDesiredCapacity}
 * @param words why it is refused, in the cloud's words, or why that cannot be told; empty when it is allowed
 */
public record CloudRight(String action, Answer answer, String words) {

    /** What the cloud says. */
    public enum Answer {
        ALLOWED,
        REFUSED,
        /** No question tells. */
        UNTOLD
    }

    public static CloudRight allowed(String action) {
        return new CloudRight(action, Answer.ALLOWED, "");
    }

    public static CloudRight refused(String action, String words) {
        return new CloudRight(action, Answer.REFUSED, words);
    }

    public static CloudRight untold(String action, String why) {
        return new CloudRight(action, Answer.UNTOLD, why);
    }
}
