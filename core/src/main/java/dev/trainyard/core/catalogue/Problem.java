package dev.trainyard.core.catalogue;

/**
 * Something wrong in the configuration, on the object that has it.
 *
 * @param kind {@code TrainingPool}, {@code TrainingTier} or {@code TrainingCluster}
 * @param name empty when it has none
 * @param message names the field, the value and what was expected
 */
public record Problem(String kind, String name, String message) {

    @Override
    public String toString() {
        return "%s: %s".formatted((kind + " " + name).strip(), message);
    }
}
