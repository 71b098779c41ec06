package dev.trainyard.cli.check;

import java.util.List;

/** A check of one thing, without side effects. */
@FunctionalInterface
interface Check {

    /** Returns at least one finding, unless there is nothing to check, or another check reports the problem. */
    List<Finding> look(ClusterSnapshot seen);
}
