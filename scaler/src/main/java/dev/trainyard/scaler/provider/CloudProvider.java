package dev.trainyard.scaler.provider;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One kind of cloud resource that holds pools of machines: an Azure scale set, Azure virtual machines, an AWS Auto Scaling group, or kwok's
 * simulated machines.
 *
 * <p>Clouds accept a request at once and may fail it later: when a method returns, its request is <em>accepted</em>, not carried out. Later
 * {@link #read}s show the result. Every method is idempotent: a second call with the same arguments has no further effect. Sizes are
 * absolute, so that a request repeated after a lost answer does not launch machines twice.
 *
 * <p>Calls for one pool never overlap. Calls for different pools may run concurrently. A call that takes too long is interrupted.
 */
public interface CloudProvider extends AutoCloseable {

    /**
     * Returns the current state of the pool in the cloud.
     *
     * @throws ProviderException if any part of the answer is missing, so that the state of the pool is unknown
     */
    PoolState read(Pool pool) throws ProviderException;

    /**
     * Requests more machines.
     *
     * @param from the target that the decision was based on
     * @param to the new target, more than {@code from}
     * @throws ProviderException of kind {@link FailureKind#CONFLICT}, with nothing changed, if the target is neither {@code from} nor
     *     {@code to}
     */
    void grow(Pool pool, int from, int to) throws ProviderException;

    /**
     * Withdraws a request that the cloud has not filled. Existing machines are never affected, even if they are still being created. If the
     * cloud cannot guarantee this, the method throws.
     *
     * @param from the target that the decision was based on
     * @param to the new target, not less than the number of machines that exist or are being created
     * @throws ProviderException of kind {@link FailureKind#CONFLICT}, with nothing changed, if the target is neither {@code from} nor
     *     {@code to}, or if machines arrived in the meantime
     */
    void withdraw(Pool pool, int from, int to) throws ProviderException;

    /**
     * Removes these machines and lowers the target by their number. There is no other way to shrink a pool. Machines that are gone or being
     * deleted are skipped.
     */
    void terminate(Pool pool, List<Machine> machines) throws ProviderException;

    /**
     * Corrects settings in the cloud that differ from the pool's spec, such as the protection of new machines. Most clouds have no such
     * settings. Called after each reading, except in a dry run.
     *
     * @return the given state, with an additional warning for each setting that could not be corrected
     */
    default PoolState tend(Pool pool, PoolState state) {
        return state;
    }

    /**
     * Returns the cloud's facts about a machine size. Called rarely, and only for sizes that the built-in table lacks. The provider keeps
     * an answer for a day, for all pools of the same region.
     *
     * @param where the cloud resource that needs the size
     * @param name the name of the size as users write it
     * @return empty if the cloud has no size of that name there, or reports no sizes
     */
    default Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return Optional.empty();
    }

    /**
     * Returns the caller's permissions for a pool, as far as read-only requests can show them. This is for checks by people. A scaler does
     * not check permissions before it makes a request.
     *
     * @return one entry for each permission that a pool of this kind needs; empty if the cloud has no permissions
     * @throws ProviderException if the permissions cannot be requested, or the caller's identity is unknown
     */
    default List<CloudRight> rights(Pool pool) throws ProviderException {
        return List.of();
    }

    /** Returns the limits of calls to the cloud's API, for all pools together. Callers must observe the limits. */
    default CallLimits limits() {
        return CallLimits.USUAL;
    }

    /**
     * Returns how many machines one API request of {@link #terminate} removes. Callers pass no more machines to {@link #terminate} than the
     * API's limits allow at once.
     */
    default int terminationsPerRequest() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns the interval of reads while a pool is changing, which the cloud's request limits determine. A pool that does not change is
     * read at the scan interval.
     */
    Duration attention();

    /** Releases connections and threads. */
    @Override
    default void close() {}
}
