package dev.trainyard.runtime.configuration;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

/** An event handler that runs one action after every change of the objects that an informer watches. */
record Changes<T>(Runnable changed) implements ResourceEventHandler<T> {

    @Override
    public void onAdd(T object) {
        changed.run();
    }

    @Override
    public void onUpdate(T before, T after) {
        changed.run();
    }

    @Override
    public void onDelete(T object, boolean deletedFinalStateUnknown) {
        changed.run();
    }
}
