package dev.trainyard.scaler.provider;

/**
 * One permission in a cloud.
 *
 * @param action the cloud's name, such as {@code autoscaling:SetDesiredCapacity}
 * @param words why it is refused, in the cloud's words, or why it cannot be checked; empty if it is allowed
 */
public record CloudRight(String action, Answer answer, String words) {

    /** The cloud's answer. */
    public enum Answer {
        ALLOWED,
        REFUSED,
        /** No request can check it. */
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
