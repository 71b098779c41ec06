package dev.trainyard.scaler.loop;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.PoolState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the pools' ledgers ({@link PoolLedger}) between rounds. After a start of the process, the ledgers are read from the pools'
 * status. Later versions of the ledgers are kept in memory, since the watch may lag behind the scaler's own writes.
 */
final class LedgerCache {

    /**
     * How long after its announcement a request of the previous leader may still reach its cloud. That leader may have been paused after it
     * checked the Lease. When it continues, it sends the request.
     */
    private static final Duration ARRIVES_WITHIN = Duration.ofMinutes(1);

    private final Map<String, PoolLedger> byUid = new HashMap<>();
    private final Map<String, Request> ofLastScaler = new HashMap<>();

    /**
     * A request that the previous leader announced in a pool's status. The leader stopped before it recorded an answer.
     *
     * @param target the pool's number of machines after the request
     * @param upcoming how many of the pool's machines, including the requested ones, were not usable when the status was written
     * @param announced when the request was announced; if the status has no such time, the time at which this process read the status
     */
    private record Request(int target, int upcoming, Instant announced) {

        static Optional<Request> of(@Nullable TrainingPoolStatus status, Instant now) {
            return status == null
                            || status.target() == null
                            || status.upcoming() == null
                            || !LedgerStatus.isAnnounced(status)
                    ? Optional.empty()
                    : Optional.of(new Request(
                            status.target(),
                            status.upcoming(),
                            LedgerStatus.announcedAt(status).orElse(now)));
        }

        /** Returns how many machines of the request are not in the cloud's target; not positive if the cloud has received the request. */
        int unknownTo(PoolState state) {
            return Math.min(upcoming, target - state.target());
        }

        /**
         * Whether the request may still reach the cloud. False if the clock was set back after the announcement, because the time since
         * then is unknown.
         */
        boolean mayArrive(Instant now) {
            return !now.isBefore(announced) && now.isBefore(announced.plus(ARRIVES_WITHIN));
        }
    }

    /** Returns the ledgers by pool name. A pool that was deleted and created again gets a new ledger. */
    Map<String, PoolLedger> of(Map<String, TrainingPool> pools, Instant now) {
        var ledgers = new HashMap<String, PoolLedger>();
        var present = new HashMap<String, PoolLedger>();
        pools.forEach((name, pool) -> {
            var known = byUid.get(uid(pool));
            var ledger = known == null ? LedgerStatus.read(pool.getStatus()) : known;
            if (known == null) {
                Request.of(pool.getStatus(), now).ifPresent(request -> ofLastScaler.put(uid(pool), request));
            }
            ledgers.put(name, ledger);
            present.put(uid(pool), ledger);
        });
        byUid.clear();
        byUid.putAll(present);
        ofLastScaler.keySet().retainAll(present.keySet());
        return ledgers;
    }

    /**
     * Returns the snapshot plus the requests of the previous leader that have not reached their clouds yet, but may still do so. If a pool
     * could not be read, it is not changed, since its ledger already includes all announced machines.
     */
    Snapshot awaiting(Map<String, TrainingPool> pools, Snapshot observed) {
        var snapshot = observed;
        for (var entry : pools.entrySet()) {
            var view = observed.pools().get(entry.getKey());
            var request = ofLastScaler.get(uid(entry.getValue()));
            if (view == null || view.state().isEmpty() || request == null) {
                continue;
            }
            int unknown = request.unknownTo(view.state().get());
            if (unknown > 0 && request.mayArrive(observed.now())) {
                snapshot = snapshot.with(view.awaiting(unknown));
            } else {
                ofLastScaler.remove(uid(entry.getValue()));
            }
        }
        return snapshot;
    }

    void keep(Map<String, TrainingPool> pools, Snapshot snapshot) {
        snapshot.pools().forEach((name, view) -> {
            var pool = pools.get(name);
            if (pool != null) {
                byUid.put(uid(pool), snapshot.ledgerOf(view));
            }
        });
    }

    private static String uid(TrainingPool pool) {
        return String.valueOf(pool.getMetadata().getUid());
    }
}
