package dev.trainyard.core.gpu;

import dev.trainyard.core.Names;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What kind of GPUs a pod wishes for, besides how many. Immutable.
 *
 * @param memory at least this much on each GPU, in bytes; empty: any
 * @param products any one of these; empty: any
 * @param malformed what is wrong with what the pod says; nothing meets a wish that nobody understands. Empty when nothing is
 */
public record GpuWish(OptionalLong memory, List<GpuProduct> products, Optional<String> malformed) {

    public static final GpuWish NONE = new GpuWish(OptionalLong.empty(), List.of());

    /** More than anybody needs; messages repeat what a user wrote. */
    private static final int LONGEST = 100;

    // What product names are made of; anything else, such as a comma or a typographic quote, was meant to be something.
    private static final Pattern PRODUCT = Pattern.compile("[A-Za-z0-9 ._/-]*[A-Za-z0-9][A-Za-z0-9 ._/-]*");

    public GpuWish {
        products = List.copyOf(products);
    }

    public GpuWish(OptionalLong memory, List<GpuProduct> products) {
        this(memory, products, Optional.empty());
    }

    /**
     * What a pod's annotations say.
     *
     * @throws IllegalArgumentException when one cannot be understood; the message names it, its value and what was expected
     */
    public static GpuWish of(Map<String, String> annotations) {
        var memory = said(annotations, Names.GPU_MEMORY);
        var products = said(annotations, Names.GPU_PRODUCT);
        return memory == null && products == null
                ? NONE
                : new GpuWish(
                        memory == null ? OptionalLong.empty() : OptionalLong.of(memory(memory)),
                        products == null ? List.of() : products(products));
    }

    /** What a pod's annotations say; one that cannot be understood makes a wish that nothing meets. */
    public static GpuWish orMalformed(Map<String, String> annotations) {
        try {
            return of(annotations);
        } catch (IllegalArgumentException e) {
            return new GpuWish(OptionalLong.empty(), List.of(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private static @Nullable String said(Map<String, String> annotations, String name) {
        var value = annotations.get(name);
        if (value == null || value.isBlank()) {
            return null;
        }
        var text = value.strip();
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("annotation %s: '%s...' is longer than %d characters"
                    .formatted(name, text.substring(0, LONGEST / 2), LONGEST));
        }
        return text;
    }

    private static long memory(String text) {
        try {
            return GpuMemory.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "annotation %s: '%s' is not the memory of a GPU; expected the least that each must have, such as 16Gi"
                            .formatted(Names.GPU_MEMORY, text));
        }
    }

    private static List<GpuProduct> products(String text) {
        var alternatives =
                Arrays.stream(text.split("\\|", -1)).map(String::strip).toList();
        if (!alternatives.stream().allMatch(name -> PRODUCT.matcher(name).matches())) {
            throw new IllegalArgumentException(
                    "annotation %s: '%s' does not name GPUs; expected a name, or several with | between them, such as V100|A100"
                            .formatted(Names.GPU_PRODUCT, text));
        }
        return alternatives.stream().map(GpuProduct::of).toList();
    }

    public boolean isNone() {
        return memory.isEmpty() && products.isEmpty() && malformed.isEmpty();
    }

    /** Whether GPUs of this kind may be such as are wished for: what is not known of them may be right. */
    public boolean mayBeMetBy(GpuKind kind) {
        return malformed.isEmpty() && hasEnough(kind, true) && isAmong(kind, true);
    }

    /** Whether GPUs of this kind are known to be such as are wished for. */
    public boolean isMetBy(GpuKind kind) {
        return malformed.isEmpty() && hasEnough(kind, false) && isAmong(kind, false);
    }

    /** Why GPUs of this kind are not {@linkplain #isMetBy known} to be such as are wished for; empty when they are. */
    public Optional<GpuMismatch> mismatch(GpuKind kind) {
        if (isMetBy(kind)) {
            return Optional.empty();
        }
        if (malformed.isPresent()) {
            return Optional.of(GpuMismatch.MALFORMED_WISH);
        }
        if (mayBeMetBy(kind)) {
            return Optional.of(GpuMismatch.UNKNOWN_KIND);
        }
        return Optional.of(isAmong(kind, true) ? GpuMismatch.TOO_LITTLE_MEMORY : GpuMismatch.OTHER_PRODUCT);
    }

    private boolean hasEnough(GpuKind kind, boolean unlessKnown) {
        return memory.isEmpty()
                || (kind.memory().isEmpty() ? unlessKnown : kind.memory().getAsLong() >= memory.getAsLong());
    }

    private boolean isAmong(GpuKind kind, boolean unlessKnown) {
        return products.isEmpty()
                || kind.product()
                        .map(product -> products.stream().anyMatch(product::isA))
                        .orElse(unlessKnown);
    }

    /** This wish's parts, one for each annotation. */
    public List<GpuWish> parts() {
        var parts = new ArrayList<GpuWish>();
        if (!products.isEmpty()) {
            parts.add(new GpuWish(OptionalLong.empty(), products));
        }
        if (memory.isPresent()) {
            parts.add(new GpuWish(memory, List.of()));
        }
        return parts;
    }

    /** As annotations say it: {@code trainyard.dev/gpu-product V100|A100 and trainyard.dev/gpu-memory 16Gi}. */
    @Override
    public String toString() {
        var product = Optional.of(products)
                .filter(wanted -> !wanted.isEmpty())
                .map(wanted -> wanted.stream().map(GpuProduct::name).collect(Collectors.joining("|")))
                .map(names -> Names.GPU_PRODUCT + " " + names);
        var least = memory.stream()
                .mapToObj(bytes -> Names.GPU_MEMORY + " " + GpuMemory.format(bytes))
                .findFirst();
        return Stream.concat(product.stream(), least.stream()).collect(Collectors.joining(" and "));
    }
}
