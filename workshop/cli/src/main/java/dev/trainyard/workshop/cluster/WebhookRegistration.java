package dev.trainyard.workshop.cluster;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/**
 * The settings with which a group's machines become nodes, comparable to a launch template.
 *
 * @param pool the pool whose promised labels, taints and resources the nodes have
 * @param boot the time from the launch of a machine until its node joins
 * @param driver the time from the joining of a node until its devices are reported
 */
record WebhookRegistration(Pool pool, Duration boot, Duration driver) {}
