package dev.trainyard.scaler.provider;

/**
 * One permission in a cloud.
 *
 * @param action the cloud's name, such as {@code autoscaling:SetDesiredCapacity}
 * @param words why the action is refused, in the cloud's words, or why the permission cannot be checked; empty if the action is allowed
 */
public record CloudRight(String action, Answer answer, String words) {

    /** The cloud's answer. */
    public enum Answer {
        ALLOWED,
        REFUSED,
        /** No request can check the permission. */
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
