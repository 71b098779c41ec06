package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The text of Kubernetes objects: YAML, or a diff. */
final class ObjectText {

    private static final int CONTEXT = 3;
    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String CYAN = "\u001b[36m";
    private static final String PLAIN = "\u001b[0m";

    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .stringQuotingChecker(new Quoting())
            .disable(Feature.SPLIT_LINES)
            .enable(Feature.MINIMIZE_QUOTES)
            .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .build());

    /**
     * A checker that omits quotes only if every YAML reader reads the text as a string. kubectl's reader mixes YAML 1.1 with 1.2. In at
     * least one of the two versions, {@code 1e-3}, {@code 0o17}, {@code yes}, {@code 12:30} and {@code 2024-01-01} are not strings.
     */
    private static final class Quoting extends StringQuotingChecker {

        private static final long serialVersionUID = 1;

        // Numbers, times, merge keys and other special values start with other characters. WORD lists the exceptions.
        private static final Pattern SURELY_TEXT = Pattern.compile("[A-Za-z/_]");
        // Every reader reads an amount such as 8Gi or 500m as a string. The pattern excludes 1E, which resembles 1E5.
        private static final Pattern AMOUNT = Pattern.compile("[0-9]+(\\.[0-9]+)?([KMGTPE]i|[mkMGTP])");
        private static final Pattern WORD = Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null|nan|inf|_[0-9_]*");

        @Override
        public boolean needToQuoteName(String name) {
            return isAmbiguous(name) || new Default().needToQuoteName(name);
        }

        @Override
        public boolean needToQuoteValue(String value) {
            return isAmbiguous(value) || new Default().needToQuoteValue(value);
        }

        private static boolean isAmbiguous(String text) {
            return !(SURELY_TEXT.matcher(text).lookingAt()
                            || AMOUNT.matcher(text).matches())
                    || WORD.matcher(text).matches();
        }
    }

    private ObjectText() {}

    /** Returns one YAML document, with its start marker. */
    static String yaml(ObjectNode object) {
        try {
            return YAML.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the object cannot be written as YAML", e);
        }
    }

    /** Returns a unified diff of the two objects as YAML; empty if they are equal. */
    static String diff(ObjectNode before, ObjectNode after, boolean colours) {
        var old = yaml(before).lines().toList();
        var name = "%s/%s"
                .formatted(
                        before.path("kind").asText(),
                        before.path("metadata")
                                .path("name")
                                .asText(before.path("metadata")
                                        .path("generateName")
                                        .asText()));
        var lines = UnifiedDiffUtils.generateUnifiedDiff(
                name + " as written",
                name + " as admitted",
                old,
                DiffUtils.diff(old, yaml(after).lines().toList()),
                CONTEXT);
        return lines.stream()
                .map(line -> (colours ? coloured(line) : line) + "\n")
                .collect(Collectors.joining());
    }

    private static String coloured(String line) {
        return switch (line.isEmpty() ? ' ' : line.charAt(0)) {
            case '+' -> GREEN + line + PLAIN;
            case '-' -> RED + line + PLAIN;
            case '@' -> CYAN + line + PLAIN;
            default -> line;
        };
    }
}
