package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Invalid and extreme values for the answers of a cloud.
 *
 * @param leaf pattern of a name with its value; the first group is the name
 * @param form format string for a name with another value
 */
public record StrangeValues(Pattern leaf, String form, List<String> values) {

    private static final String NUMBER = "9".repeat(100_000);

    public static final StrangeValues JSON = new StrangeValues(
            Pattern.compile("\"([^\"]+)\":(\"(?:[^\"\\\\]|\\\\.)*\"|[-0-9.eE]+|true|false)"),
            "\"%s\":%s",
            List.of(
                    "null",
                    "{}",
                    "[]",
                    "[null]",
                    "\"\"",
                    "-1",
                    "2.5",
                    "true",
                    "1e999",
                    NUMBER,
                    "\"" + NUMBER + "\"",
                    "\"2026-13-45T25:61:61Z\"",
                    "\"+999999999-12-31T23:59:59Z\""));

    public static final StrangeValues XML = new StrangeValues(
            Pattern.compile("<(\\w+)>([^<>]*)</\\1>"),
            "<%1$s>%2$s</%1$s>",
            List.of(
                    "",
                    "-1",
                    NUMBER,
                    "2026-13-45T25:61:61Z",
                    "+999999999-12-31T23:59:59Z",
                    "At 2026-13-45T25:61:61Z a user request changed the desired capacity from 1 to 2.",
                    "At 2026-01-05T12:00:00Z a user request changed the desired capacity from 1 to %s."
                            .formatted(NUMBER)));

    /** A read of a pool by a provider without state. */
    public interface Read {
        PoolState read() throws ProviderException;
    }

    /**
     * Replaces each value of the answers in turn, and checks that each read of the pool succeeds or reports an error.
     *
     * @param rewrite makes the cloud change its answers from now on
     * @return the names of the values
     */
    public SortedSet<String> meet(Consumer<UnaryOperator<String>> rewrite, Read reading) throws ProviderException {
        var names = new TreeSet<String>();
        rewrite.accept(answer -> {
            leaf.matcher(answer).results().map(found -> found.group(1)).forEach(names::add);
            return answer;
        });
        reading.read();
        for (var name : List.copyOf(names)) {
            for (var value : values) {
                rewrite.accept(answer -> replaced(answer, name, value));
                try {
                    reading.read();
                } catch (ProviderException e) {
                    assertThat(e.words()).as("%s: %.40s", name, value).hasSizeBetween(10, 1003);
                } catch (RuntimeException e) {
                    throw new AssertionError("%s: %.40s".formatted(name, value), e);
                }
            }
        }
        rewrite.accept(UnaryOperator.identity());
        return names;
    }

    private String replaced(String answer, String name, String value) {
        return leaf.matcher(answer)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group(1).equals(name) ? form.formatted(name, value) : found.group()));
    }
}
