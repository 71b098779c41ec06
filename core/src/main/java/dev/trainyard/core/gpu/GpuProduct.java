package dev.trainyard.core.gpu;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The name of a GPU product: a full name, such as {@code Tesla-V100-SXM2-16GB}, or a part of it, such as {@code V100}.
 *
 * @param words the parts of the name that consist of letters and digits, in lower case
 */
public record GpuProduct(String name, List<String> words) {

    public GpuProduct {
        words = List.copyOf(words);
    }

    /**
     * Parses the name of a GPU product.
     *
     * @throws IllegalArgumentException if {@code name} has no ASCII letter and no digit
     */
    public static GpuProduct of(String name) {
        var words = Arrays.stream(name.toLowerCase(Locale.ROOT).split("[^a-z0-9]+"))
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw new IllegalArgumentException("the name of a GPU product must have a letter or a digit");
        }
        return new GpuProduct(name, words);
    }

    /** Whether the words of {@code wanted} are consecutive words of this name. Only whole words match: an A1000 is not an {@code A100}. */
    public boolean isA(GpuProduct wanted) {
        return Collections.indexOfSubList(words, wanted.words) >= 0;
    }

    @Override
    public String toString() {
        return name;
    }
}
