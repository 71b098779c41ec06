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
 * status. Later versions are kept in memory, since the watch may lag behind the scaler's own writes.
 */
final class LedgerCache {

    /**
     * How long after its announcement a request of a former leader may still reach its cloud. That leader may have been paused after its
     * check of the Lease; when it continues, it sends the request.
     */
    private static final Duration ARRIVES_WITHIN = Duration.ofMinutes(1);

    private final Map<String, PoolLedger> byUid = new HashMap<>();
    private final Map<String, Request> ofLastScaler = new HashMap<>();

    /**
     * A request that the previous leader announced in a pool's status before it stopped, without recording an answer.
     *
     * @param target the pool's number of machines after the request
     * @param upcoming how many of these machines were not usable when the status was written
     * @param announced when the request was announced; if the status does not say, when this process read the status
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

        /** Returns how many machines of the request the cloud does not know. */
        int unknownTo(PoolState state) {
            return Math.min(upcoming, target - state.target());
        }

        /**
         * Whether the request may still reach the cloud. False if the clock was set back since, because the passed time is then unknown.
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
     * Returns the snapshot plus those requests of the previous leader that have not reached their clouds, but still may. A pool that could
     * not be read is not changed, since its ledger includes all announced machines already.
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
