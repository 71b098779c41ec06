package dev.trainyard.workshop.cluster;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/**
 * How a group's machines become nodes: what a launch template tells the kubelet, and how long that takes.
 *
 * @param pool whose promised labels, taints and resources the nodes have
 * @param boot from the launch of a machine to its node's joining
 * @param driver from its node's joining to its devices' showing
 */
record Registration(Pool pool, Duration boot, Duration driver) {}
