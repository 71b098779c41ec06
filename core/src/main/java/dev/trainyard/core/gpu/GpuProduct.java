package dev.trainyard.core.gpu;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The name of a GPU: all of it, such as {@code Tesla-V100-SXM2-16GB}, or as much of it as matters, such as {@code V100}.
 *
 * @param words its letters and digits, in lower case, parted wherever something else stands
 */
public record GpuProduct(String name, List<String> words) {

    public GpuProduct {
        words = List.copyOf(words);
    }

    /**
     * Parses the name of a GPU product.
     *
     * @throws IllegalArgumentException when {@code name} has no letter and no digit
     */
    public static GpuProduct of(String name) {
        var words = Arrays.stream(name.toLowerCase(Locale.ROOT).split("[^a-z0-9]+"))
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw new IllegalArgumentException("a name without letters and digits");
        }
        return new GpuProduct(name, words);
    }

    /** Whether all words of {@code wanted} stand in this name, next to each other: whole words, so an A1000 is no {@code A100}. */
    public boolean isA(GpuProduct wanted) {
        return Collections.indexOfSubList(words, wanted.words) >= 0;
    }

    @Override
    public String toString() {
        return name;
    }
}
