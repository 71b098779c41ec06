package dev.trainyard.workshop.demo;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of {@code kubectl get trainingpools}, with the columns of {@code manifests/base/crds/trainingpools.yaml}. */
final class PoolTable {

    private static final List<String> COLUMNS =
            List.of("NAME", "TYPE", "MIN", "MAX", "TARGET", "READY", "UPCOMING", "BACK-OFF", "MESSAGE", "AGE");

    private PoolTable() {}

    /** @param read the valid pools with defaults filled in, by name; other pools are not shown */
    static String of(List<TrainingPool> pools, Map<String, Pool> read, Instant now) {
        var rows = new ArrayList<List<String>>();
        rows.add(COLUMNS);
        for (var object : pools) {
            var pool = read.get(object.getMetadata().getName());
            if (pool != null) {
                rows.add(row(object, pool, now));
            }
        }
        return KubectlTable.of(rows);
    }

    private static List<String> row(TrainingPool object, Pool pool, Instant now) {
        var status = Optional.ofNullable(object.getStatus()).orElse(TrainingPoolStatus.UNKNOWN);
        var backOff = status.backOff();
        var age = Duration.between(Instant.parse(object.getMetadata().getCreationTimestamp()), now);
        return List.of(
                pool.name(),
                pool.isSpot() ? "spot" : "on-demand",
                Integer.toString(pool.min()),
                Integer.toString(pool.max()),
                shown(status.target()),
                shown(status.ready()),
                shown(status.upcoming()),
                backOff == null ? "" : backOff.kind(),
                Optional.ofNullable(status.message()).orElse(""),
                age.toSeconds() + "s");
    }

    private static String shown(@Nullable Integer number) {
        return number == null ? "" : number.toString();
    }
}
