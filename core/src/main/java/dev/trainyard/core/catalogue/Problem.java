package dev.trainyard.core.catalogue;

/**
 * A problem of one object of the configuration.
 *
 * @param kind {@code TrainingPool}, {@code TrainingTier} or {@code TrainingCluster}
 * @param name name of the object; empty if it has none
 * @param message a text with the field, the value and what was expected
 */
public record Problem(String kind, String name, String message) {

    @Override
    public String toString() {
        return "%s: %s".formatted((kind + " " + name).strip(), message);
    }
}
