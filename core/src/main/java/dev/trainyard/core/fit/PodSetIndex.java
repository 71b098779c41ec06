package dev.trainyard.core.fit;

import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An index of values by {@link PodSet}. The index finds the values of all sets that contain a pod, without testing every set. Sets are
 * looked up by the pod's labels, because nearly every selector lists the accepted values of some label. The few other sets are all tested.
 * Not thread-safe.
 */
final class PodSetIndex<T> {

    private record Entry<T>(PodSet set, T of) {}

    private final Map<String, Map<String, List<Entry<T>>>> byLabel = new HashMap<>();
    private final List<Entry<T>> others = new ArrayList<>();

    void add(PodSet set, T of) {
        var entry = new Entry<>(set, of);
        named(set).ifPresentOrElse(requirement -> addTo(byLabel, requirement, entry), () -> others.add(entry));
    }

    /** Returns the first requirement of the set with the operator {@code In}; empty if the set has no such requirement. */
    static Optional<LabelRequirement> named(PodSet set) {
        return set.selector().requirements().stream()
                .filter(requirement -> requirement.operator().equals("In"))
                .findFirst();
    }

    private static <T> void addTo(
            Map<String, Map<String, List<Entry<T>>>> byLabel, LabelRequirement named, Entry<T> entry) {
        var byValue = byLabel.computeIfAbsent(named.key(), key -> new HashMap<>());
        named.values().stream()
                .distinct()
                .forEach(value ->
                        byValue.computeIfAbsent(value, any -> new ArrayList<>()).add(entry));
    }

    /**
     * Calls {@code action} with the value of each set that contains the pod. A value that was added several times is passed as many times.
     */
    void forEach(PodRelations pod, Consumer<T> action) {
        pod.labels().forEach((key, value) -> {
            var byValue = byLabel.get(key);
            if (byValue != null) {
                forEach(byValue.getOrDefault(value, List.of()), pod, action);
            }
        });
        forEach(others, pod, action);
    }

    private static <T> void forEach(List<Entry<T>> entries, PodRelations pod, Consumer<T> action) {
        for (var entry : entries) {
            if (entry.set().contains(pod)) {
                action.accept(entry.of());
            }
        }
    }
}
