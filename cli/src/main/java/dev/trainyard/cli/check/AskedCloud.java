package dev.trainyard.cli.check;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import java.util.List;

/**
 * What the cloud of a pool said, to whoever runs this.
 *
 * @param where the cloud resource
 * @param state of the pool's machines
 * @param rights that a scaler needs there
 */
record AskedCloud(String pool, ProviderSpec where, Part<PoolState> state, Part<List<CloudRight>> rights) {}
