package dev.trainyard.chaos;

/**
 * Two pools with machines of one size.
 *
 * @param gpus the GPUs of each machine
 * @param together the largest number of machines that one of the pools can have, whatever the other has
 */
record TwinPools(int gpus, int together) {}
