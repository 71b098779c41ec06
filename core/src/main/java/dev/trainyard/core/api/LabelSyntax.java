package dev.trainyard.core.api;

import java.util.regex.Pattern;

/**
 * The syntax of the key and the value of a label or a taint (IsQualifiedName and IsValidLabelValue in
 * {@code k8s.io/apimachinery/pkg/util/validation}).
 */
public final class LabelSyntax {

    /** The pattern of a key. */
    public static final String KEY =
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";

    /** The pattern of a value. */
    public static final String VALUE = "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$";

    private static final Pattern KEYS = Pattern.compile(KEY);
    private static final Pattern VALUES = Pattern.compile(VALUE);
    private static final int LONGEST_PREFIX = 253;

    private LabelSyntax() {}

    /**
     * Checks the key of a label or taint.
     *
     * @throws IllegalArgumentException if {@code key} cannot be the key of a label or a taint; the message describes valid keys
     */
    public static void requireKey(String key) {
        if (key.indexOf('/') > LONGEST_PREFIX || !KEYS.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    ("'%s' is not a valid key; expected up to 63 letters, digits, '-', '_' and '.', optionally after"
                                    + " a domain and '/', such as accelerator or example.com/accelerator")
                            .formatted(key));
        }
    }

    /**
     * Checks the value of a label or taint.
     *
     * @throws IllegalArgumentException if {@code value} cannot be the value of a label or a taint; the message describes valid values
     */
    public static void requireValue(String value) {
        if (!VALUES.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid value; expected up to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
                            .formatted(value));
        }
    }
}
