package dev.trainyard.e2e;

import java.util.function.Predicate;

/**
 * A cluster with Trainyard, real or simulated, on which a test runs the stories, that is, the sequences of events, of
 * {@link SimulatedWorldIT}.
 */
interface StoryCluster extends AutoCloseable {

    /** Creates pools, tiers and workloads from YAML. */
    void create(String yaml);

    /** Sets the number of pods of a Deployment. */
    void scale(String deployment, int replicas);

    /** Reclaims all machines of a pool without notice. Their pods are lost. */
    void reclaimMachines(String pool);

    /** Waits for a state; fails with the actual state. */
    void await(String what, Predicate<ClusterState> holds);

    ClusterState standing();

    @Override
    void close();
}
