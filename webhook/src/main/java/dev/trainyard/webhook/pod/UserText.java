package dev.trainyard.webhook.pod;

/**
 * What a user wrote, as messages and log lines repeat it. An annotation may have 256 KiB, and nothing of a pod is validated yet when a
 * webhook sees it.
 */
public final class UserText {

    private static final int LONGEST = 100;
    private static final String CUT = "...";

    private UserText() {}

    /** {@code value}, cut to 100 characters. */
    public static String shown(String value) {
        if (value.length() <= LONGEST) {
            return value;
        }
        int end = LONGEST - CUT.length();
        return value.substring(0, Character.isHighSurrogate(value.charAt(end - 1)) ? end - 1 : end) + CUT;
    }
}
