package dev.trainyard.simulation.fault;

import java.util.Locale;

/** The kinds of faults. A closed set. */
public enum Fault {
    /** The API server refuses requests, answers late, or executes a request and its answer is lost. */
    API,
    /** The clouds do the same, and throttle calls. */
    CLOUD,
    /** The machines of a pool are out of stock for a while. */
    STOCK,
    /** A scaler process dies in the middle of a request. */
    KILL,
    /** A scaler process is suspended for up to a minute, while another one takes over. */
    FREEZE,
    /** Watches report changes late, or break off. */
    WATCH,
    /** The wall clock is changed. */
    CLOCK,
    /** Operators cordon, delete and change things by hand, in the cluster and in the cloud. */
    OPERATOR,
    /** Objects with invalid content are created. */
    MALFORMED,
    /** All running spot machines are reclaimed at once. */
    SPOT_STORM,
    /** A machine hangs, and its cloud reports it as running. */
    HANG,
    /** A node loses a GPU, never gets it back, and stays Ready. */
    LOST_GPU,
    /** The agent on a new node is late: its taint stays after the node is Ready. */
    LATE_TAINT,
    /** A node that Trainyard does not manage joins with all labels of a pool, and leaves later. */
    FOREIGN_NODE,
    /** The cloud delivers the machines of a pool one by one, seconds to minutes apart. */
    SLOW_DELIVERY,
    /** Operators drain nodes, mostly those that the scaler is removing. */
    DRAIN,
    /** A pod ignores termination, on a machine that is Ready. */
    STUCK_POD,
    /** For a while the scheduler leaves all pods of a kind pending, by a rule that Trainyard does not know. */
    UNKNOWN_RULE;

    /** Returns the name that commands use. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
