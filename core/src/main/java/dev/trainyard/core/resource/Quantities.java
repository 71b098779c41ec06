package dev.trainyard.core.resource;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parser of Kubernetes quantities from untrusted sources. The parser checks length and syntax before it creates a number, because the API
 * server accepts quantities with a million digits. For such a quantity, the client library's own methods take minutes, including
 * {@code equals} and {@code hashCode}. The grammar is that of {@code k8s.io/apimachinery/pkg/api/resource.ParseQuantity}.
 */
public final class Quantities {

    /** The most characters of an accepted quantity. Quantities of real machines are shorter than 30 characters. */
    static final int MAX_LENGTH = 64;

    /** The number of characters of a long text that a message repeats. */
    private static final int SHOWN = 20;

    /**
     * The limit of an exponent. A greater exponent is replaced by 200. The difference does not matter: with at most 64 characters, the
     * number is zero, almost zero, or beyond the range of a {@code long} with either exponent.
     */
    private static final int MAX_EXPONENT = 200;

    private static final Pattern FORM = Pattern.compile(
            "([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))" + "(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?)([0-9]+))?");

    private static final String BINARY = "KMGTPE";
    private static final Map<String, Integer> DECIMAL =
            Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);

    private Quantities() {}

    /**
     * Reads a quantity. An exponent beyond 200 is replaced by 200, so that the decimal form of the result is never excessively long.
     *
     * @param field name for error messages, such as {@code spec.overhead cpu}
     * @throws IllegalArgumentException if {@code text} is not a quantity or is longer than 64 characters; the message has the field, the
     *     value (truncated to 20 characters if it is too long) and what was expected
     */
    public static BigDecimal parse(String field, String text) {
        if (text.length() > MAX_LENGTH) {
            throw invalid(field, "'%s...' (%d characters)".formatted(text.substring(0, SHOWN), text.length()));
        }
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw invalid(field, "'" + text + "'");
        }
        var number = new BigDecimal(form.group(1));
        if (form.group(2) != null) {
            int power = 1 + BINARY.indexOf(form.group(2).charAt(0));
            return number.multiply(BigDecimal.valueOf(1L << (10 * power)));
        }
        if (form.group(3) != null) {
            return number.scaleByPowerOfTen(Objects.requireNonNull(DECIMAL.get(form.group(3))));
        }
        return form.group(5) == null
                ? number
                : number.scaleByPowerOfTen(exponent(form.group(5)) * ("-".equals(form.group(4)) ? -1 : 1));
    }

    /**
     * Reads a quantity of the client library, as {@link #parse(String, String)} does.
     *
     * @throws IllegalArgumentException if the text of the quantity is invalid, or if the quantity is null
     */
    static BigDecimal parse(String field, @Nullable Quantity quantity) {
        if (quantity == null) {
            throw invalid(field, "null");
        }
        return parse(field, quantity.toString());
    }

    /** Whether two resource lists have the same names with the same texts. The library's {@code equals} compares numbers, which may be slow. */
    public static boolean areSame(@Nullable Map<String, Quantity> a, @Nullable Map<String, Quantity> b) {
        if (a == null || b == null) {
            return a == b;
        }
        Set<String> names = a.keySet();
        return names.equals(b.keySet())
                && names.stream().allMatch(name -> String.valueOf(a.get(name)).equals(String.valueOf(b.get(name))));
    }

    private static int exponent(String digits) {
        var significant = digits.replaceFirst("^0+(?=.)", "");
        return significant.length() > 3 ? MAX_EXPONENT : Math.min(MAX_EXPONENT, Integer.parseInt(significant));
    }

    private static IllegalArgumentException invalid(String field, String shown) {
        return new IllegalArgumentException(
                "%s is %s; expected a Kubernetes quantity such as 500m, 2 or 16Gi, of at most %d characters"
                        .formatted(field, shown, MAX_LENGTH));
    }
}
