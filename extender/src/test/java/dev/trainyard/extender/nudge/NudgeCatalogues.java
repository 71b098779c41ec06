package dev.trainyard.extender.nudge;

import static dev.trainyard.extender.ClusterFixture.CATALOGUE;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import java.util.HashMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Edits of the pools and tiers that tests use. */
final class NudgeCatalogues {

    private NudgeCatalogues() {}

    static Catalogue withHeavyTierOf(String... pools) {
        var tiers = new TreeMap<>(CATALOGUE.tiers());
        var named = Stream.of(pools)
                .map(name -> Objects.requireNonNull(CATALOGUE.pools().get(name)))
                .toList();
        var ranks = new HashMap<String, Integer>();
        named.forEach(pool -> ranks.put(pool.name(), ranks.size()));
        tiers.computeIfPresent(
                "heavy",
                (name, tier) -> new Tier(
                        name,
                        named,
                        ranks,
                        tier.fallbackAfter(),
                        tier.defaultGpus(),
                        tier.driver(),
                        tier.resumable(),
                        tier.checkpoint(),
                        tier.jobs(),
                        tier.returnToSpot(),
                        tier.gangsLeaveTogether(),
                        tier.gangsStartWhole(),
                        tier.deadlines()));
        return new Catalogue(CATALOGUE.pools(), tiers, CATALOGUE.problems());
    }
}
