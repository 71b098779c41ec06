package dev.trainyard.scaler.provider;

/**
 * One permission in a cloud.
 *
 * @param action the cloud's name for the permission, such as {@code autoscaling:SetDesiredCapacity}
 * @param words why the cloud refuses the action, in its own words, or why the permission cannot be checked; empty if the action is allowed
 */
public record CloudRight(String action, Answer answer, String words) {

    /** The result of a check. */
    public enum Answer {
        ALLOWED,
        REFUSED,
        /** The cloud refuses the action, and the scaler can do without it. */
        REFUSED_OPTIONAL,
        /** No request can check the permission. */
        UNTOLD
    }

    public static CloudRight allowed(String action) {
        return new CloudRight(action, Answer.ALLOWED, "");
    }

    public static CloudRight refused(String action, String words) {
        return new CloudRight(action, Answer.REFUSED, words);
    }

    /** Returns a refused permission that the scaler can do without. */
    public static CloudRight optional(String action, String words) {
        return new CloudRight(action, Answer.REFUSED_OPTIONAL, words);
    }

    public static CloudRight untold(String action, String why) {
        return new CloudRight(action, Answer.UNTOLD, why);
    }
}
