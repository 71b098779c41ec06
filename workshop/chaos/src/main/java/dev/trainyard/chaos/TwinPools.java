package dev.trainyard.chaos;

/**
 * One or two spot pools and an on-demand pool with machines of one size.
 *
 * @param gpus the GPUs of each machine
 * @param together how many machines the pool with the highest limit can have, regardless of the other pools
 */
record TwinPools(int gpus, int together) {}
