package dev.trainyard.chaos;

/**
 * A spot pool and an on-demand pool with machines of one size.
 *
 * @param gpus the GPUs of each machine
 * @param together how many machines the pool with the higher limit can have, regardless of the other pool
 */
record TwinPools(int gpus, int together) {}
