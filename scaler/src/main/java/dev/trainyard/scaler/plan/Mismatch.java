package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.NodeView;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A machine that joined while pods were pending, runs nothing, and still cannot run these pods.
 *
 * @param pods the digest of what the pods require of a machine; see {@link Template}
 * @param usableSince when the machine's node became usable
 * @param settled when the node will be old enough to have all of its labels
 * @param lasting whether the machine itself is the cause. False if other pods are the cause, or if the cause is unknown
 * @param reason why the pods cannot run on the machine
 */
public record Mismatch(
        String pool, String pods, String node, Instant usableSince, Instant settled, boolean lasting, String reason) {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    static Mismatch of(String pool, String pods, NodeView node, Instant now, boolean lasting, String reason) {
        return new Mismatch(pool, pods, node.name(), node.usableSince(now), node.settledAt(now), lasting, reason);
    }

    /**
     * Returns the ledger with an exclusion of the pods. The exclusion is provisional until {@code settled}, since a node gets some labels
     * late.
     */
    public PoolLedger remember(PoolLedger ledger, Instant now) {
        return now.isBefore(settled)
                ? ledger.excludedUntil(settled, pods, toString(), now)
                : ledger.excluded(pods, lasting, toString(), now);
    }

    @Override
    public String toString() {
        return "machine %s of pool %s joined for these pods at %s, but these pods cannot run on the machine: %s"
                .formatted(node, pool, TIME.format(usableSince), reason);
    }
}
