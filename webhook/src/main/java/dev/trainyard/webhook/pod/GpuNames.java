package dev.trainyard.webhook.pod;

import dev.trainyard.core.resource.ResourceNames;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The resource names by which pods request whole GPUs: {@link ResourceNames#GPU} and its aliases. The webhook replaces an alias with
 * {@link ResourceNames#GPU}.
 *
 * @param aliases the aliases, in the order in which they are looked up
 */
public record GpuNames(List<String> aliases) {

    /** {@link ResourceNames#GPU} and the names that Kubernetes itself used earlier. */
    public static final GpuNames DEFAULT =
            new GpuNames(ResourceNames.ALIASES.keySet().stream().sorted().toList());

    // The form that k8s.io/kubernetes/pkg/apis/core/helper.IsExtendedResourceName demands.
    private static final Pattern EXTENDED_RESOURCE =
            Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    public GpuNames {
        aliases = List.copyOf(aliases);
    }

    /**
     * Returns the default names and the names in {@code more}.
     *
     * @throws IllegalArgumentException if a name is not valid for an extended resource
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

    /** Returns all names, {@link ResourceNames#GPU} first. */
    public Stream<String> all() {
        return Stream.concat(Stream.of(ResourceNames.GPU), aliases.stream());
    }
}
