package dev.trainyard.cli.check;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import java.util.List;

/**
 * The answers of a pool's cloud to requests with the current credentials.
 *
 * @param where the cloud resource of the pool
 * @param state the pool's machines
 * @param rights the rights that a scaler needs on the resource, each with the answer whether the credentials have the right
 */
record CloudAnswer(String pool, ProviderSpec where, ReadResult<PoolState> state, ReadResult<List<CloudRight>> rights) {}
