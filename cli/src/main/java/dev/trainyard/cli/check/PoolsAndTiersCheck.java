package dev.trainyard.cli.check;

import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/** Whether the configuration can be used, and whether its pools work. */
final class PoolsAndTiersCheck implements Check {

    private static final String ABOUT = "pools and tiers";

    @Override
    public List<Finding> look(Seen seen) {
        if (seen.pools().value().isEmpty() || seen.tiers().value().isEmpty()) {
            boolean unknown = seen.definitions().value().map(List::size).orElse(2) < 2;
            return unknown
                    ? List.of()
                    : seen.pools().value().isEmpty()
                            ? seen.pools().findings(ABOUT, pools -> List.of())
                            : seen.tiers().findings(ABOUT, tiers -> List.of());
        }
        return look(seen.pools().value().get(), seen.tiers().value().get(), seen.at());
    }

    private static List<Finding> look(List<TrainingPool> pools, List<TrainingTier> tiers, Instant now) {
        var findings = new ArrayList<Finding>();
        Catalogues.of(pools, tiers)
                .problems()
                .forEach(problem -> findings.add(Finding.problem(
                        "%s %s".formatted(problem.kind(), problem.name()), problem.message(), "edit it with kubectl")));
        pools.forEach(pool -> findings.addAll(condition(pool, now)));
        if (tiers.isEmpty() || pools.isEmpty()) {
            findings.add(Finding.warning(
                    ABOUT,
                    "there are %d TrainingPools and %d TrainingTiers".formatted(pools.size(), tiers.size()),
                    "nothing is placed by tier before there are some, see manifests/examples"));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(
                        ABOUT,
                        "%d TrainingPools and %d TrainingTiers can be used".formatted(pools.size(), tiers.size())))
                : findings;
    }

    private static List<Finding> condition(TrainingPool pool, Instant now) {
        var about = "TrainingPool " + pool.getMetadata().getName();
        var status = pool.getStatus();
        if (status == null) {
            return List.of(Finding.warning(
                    about, "has no status, so that no scaler has looked at it yet", "look whether the scaler runs"));
        }
        var backOff = status.backOff();
        if (backOff != null && isAfter(backOff.until(), now)) {
            return List.of(Finding.warning(
                    about,
                    "backs off until %s: %s: %s".formatted(backOff.until(), backOff.kind(), backOff.reason()),
                    "other pools of its tiers are asked meanwhile"));
        }
        return List.of();
    }

    private static boolean isAfter(String time, Instant now) {
        try {
            return Instant.parse(time).isAfter(now);
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
