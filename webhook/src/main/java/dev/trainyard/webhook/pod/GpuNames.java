package dev.trainyard.webhook.pod;

import dev.trainyard.core.resource.ResourceNames;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names by which pods ask for whole GPUs: {@link ResourceNames#GPU}, and aliases, which are made that one.
 *
 * @param aliases in the order in which they are looked at
 */
public record GpuNames(List<String> aliases) {

    /** The names that Kubernetes itself had before. */
    public static final GpuNames DEFAULT =
            new GpuNames(ResourceNames.ALIASES.keySet().stream().sorted().toList());

    // The form that k8s.io/kubernetes/pkg/apis/core/helper.IsExtendedResourceName demands.
    private static final Pattern EXTENDED_RESOURCE =
            Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    public GpuNames {
        aliases = List.copyOf(aliases);
    }

    /**
     * The default ones and {@code more}.
     *
     * @throws IllegalArgumentException for a name that cannot be an extended resource's
     */
    public static GpuNames with(Collection<String> more) {
        more.stream()
                .filter(name -> !EXTENDED_RESOURCE.matcher(name).matches())
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException(
                            "'%s' is not the name of an extended resource, such as example.com/gpu".formatted(name));
                });
        return new GpuNames(Stream.concat(DEFAULT.aliases.stream(), more.stream())
                .filter(name -> !name.equals(ResourceNames.GPU))
                .distinct()
                .toList());
    }

    /** All of them, that of today first. */
    public Stream<String> all() {
        return Stream.concat(Stream.of(ResourceNames.GPU), aliases.stream());
    }
}
