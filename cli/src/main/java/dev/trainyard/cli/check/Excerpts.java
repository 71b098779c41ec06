package dev.trainyard.cli.check;

/** Two texts to compare. Long texts are cut to the part around the first difference. */
record Excerpts(String value, String expected) {

    private static final int SHORT = 160;
    private static final int BEFORE = 40;

    static Excerpts of(String value, String expected) {
        if (value.length() <= SHORT && expected.length() <= SHORT) {
            return new Excerpts(value, expected);
        }
        int same = 0;
        while (same < Math.min(value.length(), expected.length()) && value.charAt(same) == expected.charAt(same)) {
            same++;
        }
        int from = Math.max(0, same - BEFORE);
        return new Excerpts(excerpt(value, from), excerpt(expected, from));
    }

    private static String excerpt(String text, int from) {
        int to = Math.min(text.length(), from + SHORT);
        return "%s%s%s".formatted(from > 0 ? "..." : "", text.substring(from, to), to < text.length() ? "..." : "");
    }
}
