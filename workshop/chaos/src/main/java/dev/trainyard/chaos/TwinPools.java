package dev.trainyard.chaos;

/**
 * Machines of one size, of which there are two pools.
 *
 * @param gpus of each
 * @param together how many of them one of the pools can have at the same time, whatever the other one has
 */
record TwinPools(int gpus, int together) {}
