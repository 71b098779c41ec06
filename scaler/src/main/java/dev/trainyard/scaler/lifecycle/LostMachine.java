package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.Machine;

/** A machine without a node that is given up. */
public record LostMachine(Pool pool, Machine machine, String reason) {}
