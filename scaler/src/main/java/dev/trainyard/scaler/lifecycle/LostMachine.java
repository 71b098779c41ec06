package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.Machine;

/** A machine without a node that the scaler gives up, so that the cloud is asked to terminate it. */
public record LostMachine(Pool pool, Machine machine, String reason) {}
