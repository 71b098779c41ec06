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
 * The kind of GPU that a pod requests, in addition to the number of GPUs. Immutable.
 *
 * @param memory the least memory of each GPU, in bytes; empty if any amount is accepted
 * @param products the accepted products; empty if any product is accepted
 * @param malformed the error in the pod's annotations; empty if there is none. No GPU satisfies a malformed request
 */
public record GpuRequirement(OptionalLong memory, List<GpuProduct> products, Optional<String> malformed) {

    public static final GpuRequirement NONE = new GpuRequirement(OptionalLong.empty(), List.of());

    /** The most characters of an accepted annotation. Messages repeat the annotation, so a long one is rejected. */
    private static final int LONGEST = 100;

    // The characters of product names. Any other character, such as a comma or a typographic quote, is a mistake of the
    // author.
    private static final Pattern PRODUCT = Pattern.compile("[A-Za-z0-9 ._/-]*[A-Za-z0-9][A-Za-z0-9 ._/-]*");

    public GpuRequirement {
        products = List.copyOf(products);
    }

    public GpuRequirement(OptionalLong memory, List<GpuProduct> products) {
        this(memory, products, Optional.empty());
    }

    /**
     * Reads the request from a pod's annotations.
     *
     * @throws IllegalArgumentException if an annotation is invalid; the message names the annotation, its value and what was expected
     */
    public static GpuRequirement of(Map<String, String> annotations) {
        var memory = said(annotations, Names.GPU_MEMORY);
        var products = said(annotations, Names.GPU_PRODUCT);
        return memory == null && products == null
                ? NONE
                : new GpuRequirement(
                        memory == null ? OptionalLong.empty() : OptionalLong.of(memory(memory)),
                        products == null ? List.of() : products(products));
    }

    /** Reads the request from a pod's annotations. An invalid annotation results in a malformed request, which no GPU satisfies. */
    public static GpuRequirement orMalformed(Map<String, String> annotations) {
        try {
            return of(annotations);
        } catch (IllegalArgumentException e) {
            return new GpuRequirement(OptionalLong.empty(), List.of(), Optional.of(String.valueOf(e.getMessage())));
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
                    "annotation %s: '%s' is not the memory of a GPU; expected the least memory of each GPU, such as 16Gi"
                            .formatted(Names.GPU_MEMORY, text));
        }
    }

    private static List<GpuProduct> products(String text) {
        var alternatives =
                Arrays.stream(text.split("\\|", -1)).map(String::strip).toList();
        if (!alternatives.stream().allMatch(name -> PRODUCT.matcher(name).matches())) {
            throw new IllegalArgumentException(
                    "annotation %s: '%s' does not name GPUs; expected one name, or several names separated by |, such as V100|A100"
                            .formatted(Names.GPU_PRODUCT, text));
        }
        return alternatives.stream().map(GpuProduct::of).toList();
    }

    public boolean isNone() {
        return memory.isEmpty() && products.isEmpty() && malformed.isEmpty();
    }

    /** Whether GPUs of this kind could satisfy the request. Unknown facts about the GPUs count as satisfying the request. */
    public boolean mayBeMetBy(GpuKind kind) {
        return malformed.isEmpty() && hasEnough(kind, true) && isAmong(kind, true);
    }

    /** Whether GPUs of this kind are known to satisfy the request. */
    public boolean isMetBy(GpuKind kind) {
        return malformed.isEmpty() && hasEnough(kind, false) && isAmong(kind, false);
    }

    /** Returns why GPUs of this kind are not {@linkplain #isMetBy known} to satisfy the request; empty if they are. */
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

    /** Returns the parts of this request, one for each annotation. */
    public List<GpuRequirement> parts() {
        var parts = new ArrayList<GpuRequirement>();
        if (!products.isEmpty()) {
            parts.add(new GpuRequirement(OptionalLong.empty(), products));
        }
        if (memory.isPresent()) {
            parts.add(new GpuRequirement(memory, List.of()));
        }
        return parts;
    }

    /** Returns the request as annotations: {@code trainyard.dev/gpu-product V100|A100 and trainyard.dev/gpu-memory 16Gi}. */
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
