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
 * The pools' ledgers between rounds. After a start they are read from the pools' status. Later ones are also kept here, since the watch may
 * lag behind our own writes.
 */
final class LedgerCache {

    /**
     * How long a request of the last scaler may still reach its cloud after this one took over. A process that was paused between its look
     * at the Lease and its request sends the request when it continues.
     */
    static final Duration ON_ITS_WAY = Duration.ofMinutes(1);

    private final Map<String, PoolLedger> byUid = new HashMap<>();
    private final Map<String, Request> ofLastScaler = new HashMap<>();

    /**
     * A request for a pool that the last scaler announced, and whose answer it did not live to record.
     *
     * @param target the pool's machines after the request
     * @param upcoming how many of them were not usable when the status was written
     * @param found when this process read the status
     */
    private record Request(int target, int upcoming, Instant found) {

        static Optional<Request> of(@Nullable TrainingPoolStatus status, Instant now) {
            return status == null
                            || status.target() == null
                            || status.upcoming() == null
                            || !LedgerStatus.isAnnounced(status)
                    ? Optional.empty()
                    : Optional.of(new Request(status.target(), status.upcoming(), now));
        }

        /** Returns how many of its machines the cloud does not know. */
        int unknownTo(PoolState state) {
            return Math.min(upcoming, target - state.target());
        }

        /** Whether it may still reach the cloud. If the clock was set back since, the time that has passed is unknown. */
        boolean mayArrive(Instant now) {
            return !now.isBefore(found) && now.isBefore(found.plus(ON_ITS_WAY));
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
     * Returns the snapshot with requests of the last scaler that their clouds have not received, but may receive yet. Pools that were not
     * read stay as they are: their ledgers count all announced machines.
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
