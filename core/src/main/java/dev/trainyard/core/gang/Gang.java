package dev.trainyard.core.gang;

/**
 * A group of pods of one namespace that are useful only together.
 *
 * @param key the gang's identity; equal for all of its pods and different for the pods of all other gangs
 * @param name the gang's name in messages, such as {@code team/resnet-large} or {@code JobSet team/train}
 * @param size how many of its pods must run at the same time; at least 1
 * @param source how the gang is known, such as {@code annotation trainyard.dev/gang}
 * @param isStated whether the author of the pods states name and size by Trainyard's annotations. Another gang may have the same name later
 */
public record Gang(String key, String name, int size, String source, boolean isStated) {

    /** The largest size of a gang. No cluster has so many pods: Kubernetes is tested with at most 150,000. */
    public static final int LARGEST = 1_000_000;

    /** Returns a gang that an operator or an owner of the pods describes. */
    static Gang found(String key, String name, int size, String source) {
        return new Gang(key, name, size, source, false);
    }
}
