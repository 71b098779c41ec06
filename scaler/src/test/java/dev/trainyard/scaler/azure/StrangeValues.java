package dev.trainyard.scaler.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Azure's answers with values that none of their kind has. */
final class StrangeValues {

    private static final Pattern LEAF =
            Pattern.compile("\"([^\"]+)\":(\"(?:[^\"\\\\]|\\\\.)*\"|[-0-9.eE]+|true|false)");

    private static final List<String> STRANGE = List.of(
            "null",
            "{}",
            "[]",
            "[null]",
            "\"\"",
            "-1",
            "2.5",
            "true",
            "1e999",
            "9".repeat(100_000),
            "\"" + "9".repeat(100_000) + "\"",
            "\"2026-13-45T25:61:61Z\"",
            "\"+999999999-12-31T23:59:59Z\"");

    interface Read {
        PoolState read() throws ProviderException;
    }

    private StrangeValues() {}

    /** Replaces each of the values that a reading meets in turn: what is read then is read, or refused in words. */
    static void in(AzureEmulator arm, Read reading) throws ProviderException {
        var leaves = new TreeSet<String>();
        arm.rewrite(json -> {
            LEAF.matcher(json).results().map(leaf -> leaf.group(1)).forEach(leaves::add);
            return json;
        });
        reading.read();
        assertThat(leaves).contains("provisioningState");
        for (var leaf : leaves) {
            for (var strange : STRANGE) {
                arm.rewrite(json -> LEAF.matcher(json)
                        .replaceAll(found -> Matcher.quoteReplacement(
                                found.group(1).equals(leaf) ? "\"%s\":%s".formatted(leaf, strange) : found.group())));
                try {
                    reading.read();
                } catch (ProviderException e) {
                    assertThat(e.words()).as("%s: %.40s", leaf, strange).hasSizeBetween(10, 1003);
                } catch (RuntimeException e) {
                    throw new AssertionError("%s: %.40s".formatted(leaf, strange), e);
                }
            }
        }
        arm.rewrite(json -> json);
    }
}
