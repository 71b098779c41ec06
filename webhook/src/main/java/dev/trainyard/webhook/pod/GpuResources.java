package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.admission.RefusedPodException;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.resource.Quantities;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.webhook.patch.Draft;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a container's GPU demand to the only form that the API server accepts for extended resources: the current name, a whole
 * number, and limits equal to requests ({@code pkg/apis/core/validation.ValidateContainerResourceRequirements}).
 */
public final class GpuResources {

    private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000);

    private static final List<String> LISTS = List.of("limits", "requests");

    private GpuResources() {}

    /**
     * Completes the GPU resources of a container.
     *
     * @return how many GPUs the container requests
     * @throws RefusedPodException if the number is fractional, negative or too large, or if two fields state different numbers
     */
    public static long complete(Draft pod, Container container, GpuNames names, MutationNotes notes)
            throws RefusedPodException {
        var asked = agreed(pod.at(container.at()).path("resources"), container, names);
        if (asked == null) {
            return 0;
        }
        var resources = container.member("resources");
        var limits = resources.appendProperty("limits");
        rename(pod, container, names, limits, notes);
        rename(pod, container, names, resources.appendProperty("requests"), notes);
        if (isAbsent(pod.at(limits).path(ResourceNames.GPU))) {
            pod.put(limits.appendProperty(ResourceNames.GPU), asked.value().deepCopy());
        }
        return asked.gpus();
    }

    private static boolean isAbsent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    /** A number of GPUs that one field of a container states. */
    private record Asked(String place, JsonNode value, long gpus) {}

    private static @Nullable Asked agreed(JsonNode resources, Container container, GpuNames names)
            throws RefusedPodException {
        Asked first = null;
        for (var list : LISTS) {
            for (var name : (Iterable<String>) names.all()::iterator) {
                var value = resources.path(list).path(name);
                if (isAbsent(value)) {
                    continue;
                }
                var place = "resources." + list + " " + name;
                var asked = new Asked(place, value, parse(container, place, value));
                if (first == null) {
                    first = asked;
                } else if (first.gpus() != asked.gpus()) {
                    throw new RefusedPodException(
                            "%s: %s is %s, but %s is %s; expected one number: GPUs cannot be overcommitted, so requests and limits must be equal"
                                    .formatted(
                                            container.label(),
                                            first.place(),
                                            UserText.shown(first.value().asText()),
                                            place,
                                            UserText.shown(value.asText())));
                }
            }
        }
        return first;
    }

    private static long parse(Container container, String place, JsonNode value) throws RefusedPodException {
        try {
            var amount = Quantities.parse(place, value.asText());
            if (amount.signum() >= 0 && amount.compareTo(MOST) <= 0) {
                return amount.longValueExact();
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // reported below
        }
        throw new RefusedPodException(
                "%s: %s is '%s'; expected a whole number, 0 or more: a GPU cannot be divided, and one machine must have all GPUs of a container%s"
                        .formatted(
                                container.label(),
                                place,
                                UserText.shown(value.asText()),
                                TroubleshootingTopic.FRACTION_OF_A_GPU.see()));
    }

    private static void rename(Draft pod, Container container, GpuNames names, JsonPointer list, MutationNotes notes) {
        for (var old : names.aliases()) {
            var value = pod.at(list).path(old);
            if (!isAbsent(value)) {
                pod.remove(list.appendProperty(old));
                if (isAbsent(pod.at(list).path(ResourceNames.GPU))) {
                    pod.put(list.appendProperty(ResourceNames.GPU), value.deepCopy());
                }
                notes.warn("%s asks for %s: replaced with %s".formatted(container.label(), old, ResourceNames.GPU));
            }
        }
    }
}
