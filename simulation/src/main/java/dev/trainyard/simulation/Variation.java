package dev.trainyard.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.api.Edited;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** One or more changes of a scenario's configuration or clouds. Users compare the results with and without the changes. */
public final class Variation {

    /** The syntax of all variations, for messages. */
    public static final String KNOWN =
            "on-demand-only, spot-only, resumable, in-order, ignore-deadlines, idle-after=DURATION, fallback-after=DURATION, "
                    + "checkpoint-grace=DURATION, return-to-spot=DURATION, spot-notice=DURATION, "
                    + "or several of these joined by +";

    private final String name;

    private Variation(String name) {
        this.name = name;
    }

    /**
     * Parses a variation.
     *
     * @throws IllegalArgumentException if the text is not a variation in {@link #KNOWN}
     */
    public static Variation parse(String text) {
        for (var change : text.split("\\+", -1)) {
            check(change, text);
        }
        return new Variation(text);
    }

    private static void check(String change, String text) {
        var value = change.contains("=") ? change.substring(change.indexOf('=') + 1) : "";
        switch (change.split("=", 2)[0]) {
            case "on-demand-only", "spot-only", "resumable", "in-order", "ignore-deadlines" -> {
                if (change.contains("=")) {
                    throw unknown(text);
                }
            }
            case "idle-after", "fallback-after", "spot-notice" -> Durations.parse(value);
            case "checkpoint-grace", "return-to-spot" -> Durations.parsePositive(value);
            default -> throw unknown(text);
        }
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException("'%s' is not a variation; expected one of %s".formatted(text, KNOWN));
    }

    /**
     * Returns the scenario with these changes.
     *
     * @throws IllegalArgumentException if the variation selects a capacity type that no pool has, or announces reclaims that never happen
     */
    public Scenario of(Scenario usual) {
        var changed = usual;
        for (var change : name.split("\\+", -1)) {
            changed = new Variation(change).single(changed);
        }
        return changed.with(name, changed.clouds());
    }

    private Scenario single(Scenario usual) {
        return switch (name.split("=", 2)[0]) {
            case "on-demand-only" -> only(usual, CapacityType.ON_DEMAND);
            case "spot-only" -> only(usual, CapacityType.SPOT);
            case "idle-after" ->
                usual.with(
                        name,
                        changed(
                                usual.pools(),
                                TrainingPool.class,
                                pool -> pool.withObject("/spec/scaleDown").put("idleAfter", value())),
                        usual.tiers());
            case "spot-notice" -> {
                if (!usual.clouds().reclaims()) {
                    throw new IllegalArgumentException(
                            "%s: spot machines are never reclaimed; expected --spot-lasts".formatted(name));
                }
                yield usual.with(name, usual.clouds().withSpotNotice(Durations.parse(value())));
            }
            case "checkpoint-grace" ->
                withTiers(usual, tier -> tier.withObject("/spec/checkpoint").put("grace", value()));
            case "return-to-spot" ->
                withTiers(usual, tier -> tier.withObject("/spec/returnToSpot").put("after", value()));
            case "ignore-deadlines" -> usual.with(name, usual.workload().hidingDeadlines());
            case "in-order" -> withTiers(usual, tier -> tier.withObject("/spec").remove("equallyPreferred"));
            case "resumable" ->
                withTiers(usual, tier -> tier.withObject("/spec").put("resumable", true));
            default -> withTiers(usual, tier -> tier.withObject("/spec").put("fallbackAfter", value()));
        };
    }

    private Scenario withTiers(Scenario usual, Consumer<ObjectNode> change) {
        return usual.with(name, usual.pools(), changed(usual.tiers(), TrainingTier.class, change));
    }

    private String value() {
        return name.substring(name.indexOf('=') + 1);
    }

    private Scenario only(Scenario usual, CapacityType type) {
        Predicate<TrainingPool> stays = pool -> pool.getSpec().capacityType() == type;
        var names = usual.pools().stream()
                .filter(stays)
                .map(pool -> pool.getMetadata().getName())
                .collect(Collectors.toSet());
        if (names.isEmpty()) {
            throw new IllegalArgumentException("%s: no pool has capacityType %s".formatted(name, type));
        }
        var tiers = changed(usual.tiers(), TrainingTier.class, tier -> {
            var pools = tier.withArray("/spec/pools");
            for (int i = pools.size() - 1; i >= 0; i--) {
                if (!names.contains(pools.get(i).asText())) {
                    pools.remove(i);
                }
            }
        });
        return usual.with(
                name,
                usual.pools().stream().filter(stays).toList(),
                tiers.stream().filter(tier -> !tier.getSpec().pools().isEmpty()).toList());
    }

    private static <T extends HasMetadata> List<T> changed(
            List<T> objects, Class<T> type, Consumer<ObjectNode> change) {
        return objects.stream().map(object -> Edited.of(object, type, change)).toList();
    }
}
