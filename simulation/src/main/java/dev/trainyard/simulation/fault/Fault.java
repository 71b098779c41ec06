package dev.trainyard.simulation.fault;

import java.util.Locale;

/** A kind of fault. */
public enum Fault {
    /** The API server refuses requests, answers late, or executes requests but loses the answers. */
    API,
    /** The clouds refuse or throttle calls, answer late, or execute calls but lose the answers. */
    CLOUD,
    /** The machines of a pool are out of stock for a while. */
    STOCK,
    /** A scaler process dies in the middle of a request. */
    KILL,
    /** For up to a minute, a scaler process is suspended or cannot renew the Lease, while another one takes over. */
    FREEZE,
    /** Watches report changes late, or break off. */
    WATCH,
    /** The wall clock is changed. */
    CLOCK,
    /** Operators cordon or mark nodes, delete pods or machines, and change budgets or pool sizes by hand. */
    OPERATOR,
    /** Objects with invalid content are created. */
    MALFORMED,
    /** All running spot machines of all pools are reclaimed at once. */
    SPOT_STORM,
    /** A machine hangs, and its cloud reports it as running. */
    HANG,
    /** A new machine runs, but its node never joins. With {@link #FOREIGN_NODE}, a foreign node joins for some of these machines. */
    NO_NODE,
    /** A node loses a GPU, never gets it back, and stays Ready. */
    LOST_GPU,
    /** An agent reports the machine of a node as broken. It may withdraw the report. */
    SICK,
    /** The agent on a new node is late, so that the agent's taint stays after the node is Ready. */
    LATE_TAINT,
    /** A node that Trainyard does not manage joins with all labels of a pool, and leaves later. */
    FOREIGN_NODE,
    /** The cloud delivers the machines of a pool one by one, seconds to minutes apart. */
    SLOW_DELIVERY,
    /** Operators drain nodes, mostly those that the scaler is removing. */
    DRAIN,
    /** A pod ignores termination, on a machine that is Ready. */
    STUCK_POD,
    /** For a while, the scheduler leaves all pods of some tier and size pending, by a rule that Trainyard does not know. */
    UNKNOWN_RULE,
    /**
     * A cloud announces the reclaim of a machine. The machine may go earlier than announced, the notice may come late or twice, and it may
     * be wrong.
     */
    NOTICE,
    /** A cloud announces the reclaim of all machines of a spot pool at once. */
    NOTICE_STORM,
    /** A cloud recommends to save the work on a machine, but reclaims nothing. */
    RECOMMENDATION;

    /** Returns the name that commands use. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
