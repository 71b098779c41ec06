package dev.trainyard.workshop.demo;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A cluster that scenarios are played in: what users do there, and what there is to see. */
interface Venue {

    /** What somebody typed, and what was answered. */
    record Reply(String command, boolean ok, String output) {}

    /** Ends a look-out. */
    @FunctionalInterface
    interface Watching {
        void end();
    }

    /** What it says it is: {@code v1.36.3}, or {@code simulated}. */
    String kubernetes();

    /** By which time passes there. */
    Clock clock();

    /** Lets {@code observer} see everything from now on. */
    Watching watchedBy(Observer observer);

    /**
     * Creates a namespace.
     *
     * @param name of a namespace that is not there yet
     */
    Reply createNamespace(String name);

    /**
     * Creates the workloads of a file.
     *
     * @param file workloads, below {@code manifests}
     */
    Reply create(String namespace, String file);

    /**
     * Applies the objects of some files.
     *
     * @param files pools, tiers and namespaces, below {@code manifests}
     */
    Reply apply(List<String> files);

    /**
     * Shows pools as {@code kubectl get} does.
     *
     * @param names of pools; all if empty
     */
    Reply showPools(List<String> names);

    List<Pod> pods(String namespace);

    /** The names of Jobs that are not complete. */
    List<String> unfinishedJobs(String namespace);

    Optional<TrainingPool> pool(String name);

    long nodesOf(String pool);

    /** How often the scheduler asked the extender to filter nodes; zero when it cannot be asked. */
    double filterCalls();

    /**
     * Lets time pass.
     *
     * @throws Unmet when interrupted
     */
    void pause(Duration time);

    /** What may explain why something did not happen, as sentences that begin with a space; may be empty. */
    String hints();
}
