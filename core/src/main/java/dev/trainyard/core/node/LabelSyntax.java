package dev.trainyard.core.node;

import java.util.regex.Pattern;

/**
 * What may be the key and the value of a label or a taint ({@code k8s.io/apimachinery/pkg/util/validation}: IsQualifiedName,
 * IsValidLabelValue).
 */
public final class LabelSyntax {

    /** Of a key, as a pattern. */
    public static final String KEY =
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";

    /** Of a value, as a pattern. */
    public static final String VALUE = "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$";

    private static final Pattern KEYS = Pattern.compile(KEY);
    private static final Pattern VALUES = Pattern.compile(VALUE);
    private static final int LONGEST_PREFIX = 253;

    private LabelSyntax() {}

    /**
     * Checks the key of a label or taint.
     *
     * @throws IllegalArgumentException when {@code key} cannot be a label's or taint's key; the message says what can
     */
    public static void requireKey(String key) {
        if (key.indexOf('/') > LONGEST_PREFIX || !KEYS.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    "'%s' cannot be a key: expected up to 63 letters, digits, '-', '_' and '.', perhaps after a domain and '/', such as accelerator or example.com/accelerator"
                            .formatted(key));
        }
    }

    /**
     * Checks the value of a label or taint.
     *
     * @throws IllegalArgumentException when {@code value} cannot be a label's or taint's value; the message says what can
     */
    public static void requireValue(String value) {
        if (!VALUES.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "'%s' cannot be a value: expected up to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
                            .formatted(value));
        }
    }
}
