package dev.trainyard.core.admission;

/**
 * Text of users, made safe for messages and log lines. An annotation can have 256 KiB, and a webhook sees a pod before the API server has
 * validated any part of the pod.
 */
public final class UserText {

    private static final int LONGEST = 100;
    private static final String CUT = "...";

    private UserText() {}

    /** Returns {@code value}, truncated to 100 characters and {@linkplain #printable printable}. */
    public static String shown(String value) {
        return printable(value.length() <= LONGEST ? value : value.substring(0, LONGEST - CUT.length()) + CUT);
    }

    /** Returns {@code value} with {@code ?} in place of unprintable characters, such as line ends and unpaired surrogates. */
    public static String printable(String value) {
        if (value.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            return value;
        }
        var text = new StringBuilder(value.length());
        value.codePoints().forEach(c -> text.appendCodePoint(isPrintable(c) ? c : '?'));
        return text.toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
