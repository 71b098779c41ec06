package dev.trainyard.scaler.calls;

import dev.trainyard.core.machine.MachineSize;

/** A cloud's answer about a machine size that the built-in table lacks. */
public sealed interface SizeAnswer {

    record Told(MachineSize size) implements SizeAnswer {}

    /**
     * An unknown size.
     *
     * @param why the reason why the size is unknown, as text for the administrator of the pool
     */
    record Untold(String why) implements SizeAnswer {}
}
