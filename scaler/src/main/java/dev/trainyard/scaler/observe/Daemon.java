package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;

/** The pod that a DaemonSet runs on every suitable node. */
public record Daemon(String namespace, String name, PodShape shape) {

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
