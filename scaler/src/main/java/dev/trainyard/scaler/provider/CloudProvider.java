package dev.trainyard.scaler.provider;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One kind of cloud resource that keeps pools of machines: an Azure scale set, Azure virtual machines, an AWS Auto Scaling group, or
 * kwok's simulated ones.
 *
 * <p>Clouds accept a request at once and fail it later: a method that returns has been <em>accepted</em>, no more. What became of it shows
 * in later {@link #read}s. Every method may be called again with the same arguments after a crash and then does nothing more. Sizes are
 * absolute, so that a request repeated because its answer was lost does not buy twice.
 *
 * <p>Called from one thread at a time per pool, for several pools at the same time. A call that takes too long is interrupted.
 */
public interface CloudProvider extends AutoCloseable {

    /**
     * The pool as the cloud sees it now.
     *
     * @throws ProviderException when any part of the answer is missing; nothing is known then
     */
    PoolState read(Pool pool) throws ProviderException;

    /**
     * Asks for more machines.
     *
     * @param from the target that the decision was made on
     * @param to the new target, more than {@code from}
     * @throws ProviderException of kind {@link FailureKind#CONFLICT}, with nothing changed, when the target is neither {@code from}
     *     nor {@code to}
     */
    void grow(Pool pool, int from, int to) throws ProviderException;

    /**
     * Takes back a request that the cloud has not filled. Existing machines, finished or not, are never touched: when the cloud cannot
     * rule that out, it throws.
     *
     * @param from the target that the decision was made on
     * @param to the new target, not less than the number of machines that are there or being made
     * @throws ProviderException of kind {@link FailureKind#CONFLICT}, with nothing changed, when the target is neither, or when
     *     machines arrived in the meantime
     */
    void withdraw(Pool pool, int from, int to) throws ProviderException;

    /**
     * Removes these machines and lowers the target by as many. The one way by which a pool shrinks. Machines that are gone or on their way
     * out already are passed over.
     */
    void terminate(Pool pool, List<Machine> machines) throws ProviderException;

    /**
     * Sets right in the cloud what the pool's spec asks to be kept right there, such as the protection of new machines. For most clouds
     * there is nothing to do. Called after a reading, by a scaler that acts.
     *
     * @return the state that was read, with a warning more for what could not be set right
     */
    default PoolState tend(Pool pool, PoolState state) {
        return state;
    }

    /**
     * What the cloud tells of a size of machine; asked only for sizes that the built-in table lacks, and seldom. Pools of the same place share
     * an answer for a day.
     *
     * @param where the cloud resource whose machines are to be of that size
     * @param name as its users write it
     * @return empty when the cloud sells no size of that name there, or tells nothing of sizes
     */
    default Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return Optional.empty();
    }

    /**
     * What whoever asks may do about a pool, as far as questions that change nothing tell. For checks that people make; a scaler tries.
     *
     * @return an answer for each right that a pool of this kind needs; none where nobody grants rights
     * @throws ProviderException when there is nobody to ask, or the asker is not known
     */
    default List<CloudRight> rights(Pool pool) throws ProviderException {
        return List.of();
    }

    /** How often its API may be called, for all pools together. Whoever calls keeps to it. */
    default CallLimits limits() {
        return CallLimits.USUAL;
    }

    /** Machines that one request of {@link #terminate} removes. More than the API may be asked to at once are not given to it together. */
    default int terminationsPerRequest() {
        return Integer.MAX_VALUE;
    }

    /** How often to read while something is under way. A cloud's request limits decide; a quiet pool is read at the scan interval. */
    Duration attention();

    /** Releases connections and threads. */
    @Override
    default void close() {}
}
