package dev.trainyard.simulation.api;

/**
 * A receiver of the changes of objects of one kind.
 *
 * @param <T> the kind
 */
public interface Watch<T> {

    default void added(T object) {}

    default void changed(T before, T after) {}

    default void removed(T last) {}
}
