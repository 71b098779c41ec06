package dev.trainyard.cli.check;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import java.util.List;

/**
 * The answers of a pool's cloud to the current credentials.
 *
 * @param where the cloud resource
 * @param state the pool's machines
 * @param rights the rights that a scaler needs there
 */
record CloudAnswer(String pool, ProviderSpec where, ReadResult<PoolState> state, ReadResult<List<CloudRight>> rights) {}
