package dev.trainyard.workshop.demo;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A cluster in which scenarios run: the commands of users, and the state of the cluster. */
interface Venue {

    /** A command with its result. */
    record Reply(String command, boolean ok, String output) {}

    /** A watch that can be ended. */
    @FunctionalInterface
    interface Watching {
        void end();
    }

    /** Returns the version of Kubernetes, such as {@code v1.36.3}; or {@code simulated}. */
    String kubernetes();

    /** Returns the clock of the cluster. */
    Clock clock();

    /** Starts to report all changes to {@code observer}. */
    Watching watchedBy(Observer observer);

    /**
     * Creates a namespace.
     *
     * @param name the name, which must not exist yet
     */
    Reply createNamespace(String name);

    /**
     * Creates the workloads of a file.
     *
     * @param file a file of workloads below {@code manifests}
     */
    Reply create(String namespace, String file);

    /**
     * Applies the objects of files.
     *
     * @param files files of pools, tiers and namespaces below {@code manifests}
     */
    Reply apply(List<String> files);

    /** Announces the reclaim of a node's machine: by an event of the cloud, or by the sign that an agent of the cloud puts on the node. */
    Reply announceReclaim(String node);

    /**
     * Shows pools as {@code kubectl get} does.
     *
     * @param names the names of the pools; empty for all pools
     */
    Reply showPools(List<String> names);

    /** Shows the Events about a pod as {@code kubectl events} does. */
    Reply showEvents(String namespace, String pod);

    List<Pod> pods(String namespace);

    /** Returns the names of Jobs that are not complete. */
    List<String> unfinishedJobs(String namespace);

    /** Returns the number of failed pods that the Jobs of a namespace have counted. */
    int countedFailures(String namespace);

    Optional<TrainingPool> pool(String name);

    long nodesOf(String pool);

    /** Returns how often the scheduler asked the extender for a node; 0 if the extender does not answer. */
    double extenderCalls();

    /**
     * Lets time pass.
     *
     * @throws ExpectationException if interrupted
     */
    void pause(Duration time);

    /** Returns possible causes of a failure, as sentences that begin with a space; may be empty. */
    String hints();
}
