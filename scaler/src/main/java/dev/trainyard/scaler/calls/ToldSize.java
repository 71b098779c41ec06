package dev.trainyard.scaler.calls;

import dev.trainyard.core.machine.MachineSize;

/** What a cloud says of a size of machine that the built-in table lacks. */
public sealed interface ToldSize {

    record Told(MachineSize size) implements ToldSize {}

    /**
     * A size that is not known.
     *
     * @param why it is not known (yet), for the administrator of the pool
     */
    record Untold(String why) implements ToldSize {}
}
