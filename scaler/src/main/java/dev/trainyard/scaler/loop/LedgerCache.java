package dev.trainyard.scaler.loop;

import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.Snapshot;
import java.util.HashMap;
import java.util.Map;

/**
 * The pools' ledgers between rounds. After a start they are read from the pools' status. Later ones are also kept here, since the watch may
 * lag behind our own writes.
 */
final class LedgerCache {

    private final Map<String, PoolLedger> byUid = new HashMap<>();

    /** Returns the ledgers by pool name. A pool that was deleted and created again gets a new ledger. */
    Map<String, PoolLedger> of(Map<String, TrainingPool> pools) {
        var ledgers = new HashMap<String, PoolLedger>();
        var present = new HashMap<String, PoolLedger>();
        pools.forEach((name, pool) -> {
            var known = byUid.get(uid(pool));
            var ledger = known == null ? LedgerStatus.read(pool.getStatus()) : known;
            ledgers.put(name, ledger);
            present.put(uid(pool), ledger);
        });
        byUid.clear();
        byUid.putAll(present);
        return ledgers;
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
