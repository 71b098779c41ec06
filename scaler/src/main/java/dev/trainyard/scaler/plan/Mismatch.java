package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.NodeView;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A machine that joined while pods waited for one, that runs nothing, and on which they cannot run all the same.
 *
 * @param pods the digest of what they demand; see {@link Template}
 * @param usableSince when the machine's node became usable
 * @param settled when it has all of its labels
 * @param lasting whether the cause lies in the machine itself
 * @param reason why they cannot run on it
 */
public record Mismatch(
        String pool, String pods, String node, Instant usableSince, Instant settled, boolean lasting, String reason) {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    static Mismatch of(String pool, String pods, NodeView node, Instant now, boolean lasting, String reason) {
        return new Mismatch(pool, pods, node.name(), node.usableSince(now), node.settledAt(now), lasting, reason);
    }

    /** What is to be remembered of the pool: provisional at first, since a machine gets some of its labels late. */
    public PoolLedger remember(PoolLedger ledger, Instant now) {
        return now.isBefore(settled)
                ? ledger.excludedUntil(settled, pods, toString(), now)
                : ledger.excluded(pods, lasting, toString(), now);
    }

    @Override
    public String toString() {
        return "machine %s of pool %s joined for such pods at %s and they cannot run there: %s"
                .formatted(node, pool, TIME.format(usableSince), reason);
    }
}
