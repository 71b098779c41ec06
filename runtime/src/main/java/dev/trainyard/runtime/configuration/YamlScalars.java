package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Set;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The values of scalars in YAML 1.1, as kubectl reads them: {@code 0644} is octal, {@code yes} is true. Numbers of base 60 are text, as in
 * kubectl.
 */
final class YamlScalars {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Resolver RESOLVER = new Resolver();
    private static final Set<String> TRUE = Set.of("true", "yes", "on");

    /**
     * The most characters of a keyword or a number. Longer scalars are read as text, because the regular expressions may need a deep stack
     * for them.
     */
    private static final int LONGEST = 100;

    private YamlScalars() {}

    static JsonNode read(ScalarEvent scalar) {
        var value = scalar.getValue();
        var tag = tag(scalar);
        if (tag.equals(Tag.NULL)) {
            return JSON.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return JSON.booleanNode(TRUE.contains(value.toLowerCase(Locale.ROOT)));
        }
        try {
            if (tag.equals(Tag.INT)) {
                return whole(value.replace("_", ""));
            }
            if (tag.equals(Tag.FLOAT)) {
                return JSON.numberNode(Double.parseDouble(value.replace("_", "")));
            }
        } catch (NumberFormatException e) {
            // A number of base 60, infinity, NaN, or other text with the tag of a number: read as text.
        }
        return JSON.textNode(value);
    }

    private static Tag tag(ScalarEvent scalar) {
        if (scalar.getValue().length() > LONGEST) {
            return Tag.STR;
        }
        return scalar.getTag()
                .filter(tag -> !tag.equals("!"))
                .map(Tag::new)
                .orElseGet(() -> RESOLVER.resolve(
                        NodeId.scalar, scalar.getValue(), scalar.getImplicit().canOmitTagInPlainScalar()));
    }

    private static JsonNode whole(String text) {
        boolean signed = text.startsWith("-") || text.startsWith("+");
        var digits = signed ? text.substring(1) : text;
        int radix = 10;
        if (digits.length() > 1 && digits.startsWith("0")) {
            radix = switch (Character.toLowerCase(digits.charAt(1))) {
                case 'x' -> 16;
                case 'b' -> 2;
                default -> 8;
            };
            digits = digits.substring(radix == 8 ? 1 : 2);
        }
        var amount = new BigInteger(digits, radix);
        var number = text.startsWith("-") ? amount.negate() : amount;
        if (number.bitLength() < Integer.SIZE) {
            return JSON.numberNode(number.intValue());
        }
        return number.bitLength() < Long.SIZE ? JSON.numberNode(number.longValue()) : JSON.numberNode(number);
    }
}
