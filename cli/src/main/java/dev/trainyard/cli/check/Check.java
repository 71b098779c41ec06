package dev.trainyard.cli.check;

import java.util.List;

/** Looks at one thing. Pure. */
@FunctionalInterface
interface Check {

    /** At least one finding, unless something else that is checked says it all. */
    List<Finding> look(Seen seen);
}
