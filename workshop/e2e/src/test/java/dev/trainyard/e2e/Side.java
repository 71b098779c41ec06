package dev.trainyard.e2e;

import java.util.function.Predicate;

/** A cluster with Trainyard in it, real or simulated, in which somebody does what {@link SimulatedWorldIT} tells. */
interface Side extends AutoCloseable {

    /** Pools, tiers and workloads, in YAML. */
    void create(String yaml);

    /** Sets how many pods a Deployment has. */
    void scale(String deployment, int replicas);

    /** The cloud takes back all machines of a pool, without a word, and their pods are lost. */
    void takeBackMachines(String pool);

    /** Waits; fails with how things stand instead. */
    void await(String what, Predicate<Standing> holds);

    Standing standing();

    @Override
    void close();
}
