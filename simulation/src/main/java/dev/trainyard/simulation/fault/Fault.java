package dev.trainyard.simulation.fault;

import java.util.Locale;

/** Kinds of things that go wrong. A closed set. */
public enum Fault {
    /** The API server refuses requests, is slow, or does what it is asked and its answer is lost. */
    API,
    /** The clouds do the same, and throttle. */
    CLOUD,
    /** There are no machines of a pool to be had for a while. */
    STOCK,
    /** Processes of the scaler die in the middle of a request. */
    KILL,
    /** Processes of the scaler stand still for up to a minute, while the other one takes over. */
    FREEZE,
    /** Watches tell late, or break off. */
    WATCH,
    /** Somebody sets the clock on the wall. */
    CLOCK,
    /** Operators cordon, delete and change things by hand, in the cluster and in the cloud. */
    OPERATOR,
    /** Objects that hold what they should not. */
    MALFORMED,
    /** Spot machines of a pool are all taken back at once. */
    SPOT_STORM,
    /** Machines hang: their cloud says that they run. */
    HANG,
    /** NodeFacts lose a GPU, stay Ready, and never get it back. */
    LOST_GPU,
    /** An agent on each new node is late: its taint stays when the node is Ready. */
    LATE_TAINT,
    /** NodeFacts of somebody else join that have all labels of a pool, and leave again. */
    FOREIGN_NODE,
    /** The cloud makes the machines of a pool one by one, minutes apart. */
    SLOW_DELIVERY,
    /** Operators drain nodes, mostly those that the scaler is removing. */
    DRAIN,
    /** Pods do not end when they are told to, on machines that are Ready. */
    STUCK_POD,
    /** The scheduler leaves all pods of a kind waiting for a while, by a rule that Trainyard does not know. */
    UNKNOWN_RULE;

    /** As in commands. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
