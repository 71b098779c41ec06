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
 * <p>Clouds accept a request at once, but the request may fail later. When a method returns, its request is <em>accepted</em>, but not carried out
 * yet. Later {@link #read}s show the result. Every method is idempotent: a second call with the same arguments has no further effect. Sizes
 * are absolute, so a request that is repeated after a lost answer does not launch machines twice.
 *
 * <p>Calls for one pool never overlap, except those of {@link #spotScore}. Calls for different pools may run concurrently. A call that takes
 * too long is interrupted.
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
     * @throws ProviderException of kind {@link FailureKind#CONFLICT} if the cloud's target is neither {@code from} nor {@code to}; nothing
     *     has then changed
     */
    void grow(Pool pool, int from, int to) throws ProviderException;

    /**
     * Withdraws a request that the cloud has not filled. Existing machines are never affected, even if they are still being created. If the
     * cloud cannot guarantee this, the method throws.
     *
     * @param from the target that the decision was based on
     * @param to the new target, not less than the number of machines that exist or are being created
     * @throws ProviderException of kind {@link FailureKind#CONFLICT} if the cloud's target is neither {@code from} nor {@code to}, or if
     *     machines have arrived since the decision; nothing has then changed
     */
    void withdraw(Pool pool, int from, int to) throws ProviderException;

    /**
     * Removes these machines and lowers the target by their number. There is no other way to shrink a pool. Machines that are gone or being
     * deleted are skipped. A machine in state {@link Machine.State#HELD} is released, and the target stays.
     */
    void terminate(Pool pool, List<Machine> machines) throws ProviderException;

    /**
     * Corrects settings in the cloud that differ from the pool's spec, such as the protection of new machines. Most clouds have no such
     * settings. Rounds call this method after each successful read, except in a dry run.
     *
     * @return the given state, with an additional warning for each setting that could not be corrected
     */
    default PoolState tend(Pool pool, PoolState state) {
        return state;
    }

    /**
     * Returns the cloud's facts about a machine size. Callers need this rarely, since the built-in table has most sizes. The provider keeps
     * an answer for a day, for all pools of the same region.
     *
     * @param where the cloud resource whose machines have the size
     * @param name the name of the size as users write it
     * @return empty if the cloud offers no size of this name for the resource, or if its API does not report sizes
     */
    default Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return Optional.empty();
    }

    /**
     * Returns the cloud's estimate that a request for a spot machine of this pool will succeed now. Callers need this rarely, and must do
     * without it: a cloud may need an additional right for it. A call may overlap other calls for the pool.
     *
     * @return 1 (unlikely) to 10 (very likely); empty if the pool's machines are not spot machines, or if the cloud publishes no estimate
     *     that can be compared with those of other pools
     * @throws ProviderException of kind {@link FailureKind#AUTH} if a right is missing; {@link ProviderException#retryAfter} is then the
     *     time after which a retry makes sense
     */
    default Optional<Integer> spotScore(Pool pool) throws ProviderException {
        return Optional.empty();
    }

    /**
     * Returns the caller's permissions for a pool, as far as read-only requests can show them. People use this method for checks. A scaler
     * makes its requests without such a check.
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
     * Returns how many machines one API request of {@link #terminate} removes. Callers use this number to limit the machines of a call, so
     * that the call stays within the API's limits.
     */
    default int terminationsPerRequest() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns the interval between reads of a pool that is changing. The interval depends on the cloud's request limits. A pool that does
     * not change is read at the scan interval.
     */
    Duration attention();

    /** Releases connections and threads. */
    @Override
    default void close() {}
}
